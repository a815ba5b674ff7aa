import { S3Failure } from './s3-failure.ts';
import type { S3Request } from './s3-request.ts';

export interface S3DevCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export type S3Action =
  | 's3:GetObject'
  | 's3:PutObject'
  | 's3:DeleteObject'
  | 's3:ListBucket'
  | 's3:CreateBucket';

/** A user other than the owner of the server. This user may use these buckets only. The owner may use all other buckets. */
export interface S3DevUser {
  readonly credentials: S3DevCredentials;
  readonly buckets: readonly string[];
  /** Actions that the user may not perform. */
  readonly denied?: readonly S3Action[];
}

/** Decides which user may perform which action in which bucket. */
export class S3Rights {
  readonly #owner: S3DevCredentials;
  readonly #users: readonly S3DevUser[];

  constructor(owner: S3DevCredentials, users: readonly S3DevUser[]) {
    this.#owner = owner;
    this.#users = users;
  }

  get accessKeyIds(): readonly string[] {
    return [this.#owner, ...this.#users.map(({ credentials }) => credentials)].map(
      ({ accessKeyId }) => accessKeyId,
    );
  }

  /** @throws S3Failure AccessDenied */
  check(request: S3Request): void {
    const action = actionOf(request);
    // A request may contain several deletions, and each of them is refused by itself.
    const isRefused = !this.may(request, request.query.has('delete') ? undefined : action);
    if (isRefused) throw accessDenied(action);
  }

  may(
    { accessKeyId, bucket = '' }: Pick<S3Request, 'accessKeyId' | 'bucket'>,
    action: S3Action | undefined,
  ): boolean {
    if (accessKeyId === this.#owner.accessKeyId)
      return this.#users.every(({ buckets }) => !buckets.includes(bucket));
    return this.#users.some(
      ({ credentials, buckets, denied = [] }) =>
        credentials.accessKeyId === accessKeyId &&
        buckets.includes(bucket) &&
        !denied.some((one) => one === action),
    );
  }
}

export const accessDenied = (action: S3Action): S3Failure =>
  new S3Failure('AccessDenied', `The user is not authorized to perform ${action}`);

function actionOf({ method, key, query }: S3Request): S3Action {
  const isRead = method === 'GET' || method === 'HEAD';
  if (query.has('delete')) return 's3:DeleteObject';
  if (key === undefined) return isRead ? 's3:ListBucket' : 's3:CreateBucket';
  if (isRead) return 's3:GetObject';
  return method === 'DELETE' && !query.has('uploadId') ? 's3:DeleteObject' : 's3:PutObject';
}
