import { type Explanation, explainVendorError } from '../bucket/bucket-client.ts';
import { ROLE_REFUSED } from './s3-client.ts';

interface S3Error {
  readonly name?: string;
  readonly code?: string;
  readonly Code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Responses that servers send without a body, or with an error name of their own. */
const NAME_OF_STATUS: Readonly<Record<number, string>> = {
  409: 'ConditionalRequestConflict',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
};

export function isS3Error(error: unknown, ...names: readonly string[]): boolean {
  const { name, Code, $metadata } = error as S3Error;
  const byStatus = NAME_OF_STATUS[$metadata?.httpStatusCode ?? 0];
  return [name, Code, byStatus].some((one) => one !== undefined && names.includes(one));
}

export function explainS3Error(error: unknown): Explanation {
  const { name, code, Code, message = '', $metadata } = error as S3Error;
  if (name === 'CredentialsProviderError') {
    return {
      reason: `no AWS credentials were found in the environment, the profile or the instance (${message})`,
      mayHaveHappened: false,
    };
  }
  if (name === ROLE_REFUSED) return { reason: message, mayHaveHappened: false };
  if (isS3Error(error, 'NoSuchBucket'))
    return { reason: 'the bucket does not exist', mayHaveHappened: false };
  if (message.startsWith('Region is missing')) {
    return { reason: 'no AWS region is set (AWS_REGION, or that of the profile)', mayHaveHappened: false };
  }
  return explainVendorError({ status: $metadata?.httpStatusCode, code: code ?? Code ?? name, message });
}
