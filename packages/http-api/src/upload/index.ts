export { DEFAULT_UPLOAD_LIMITS, type UploadLimits } from './limits.ts';
export { decodePlainBody } from './plain-body.ts';
export {
  type ReceivedUpload,
  type ReceiveOptions,
  receiveUpload,
  type UploadedFile,
} from './receive-upload.ts';
export { clearUploadDirectories, openUploadDirectory, type UploadDirectory } from './upload-directory.ts';
