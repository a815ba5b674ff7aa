export { DEFAULT_UPLOAD_LIMITS, type UploadLimits } from './limits.ts';
export { decodePlainBody } from './plain-body.ts';
export { type ReceivedUpload, receiveUpload } from './receive-upload.ts';
