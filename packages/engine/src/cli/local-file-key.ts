/** The environment variable by which the shell gives its own engine the key for files that are read in place. */
export const LOCAL_FILE_KEY = 'TESSERA_SHELL_FILE_KEY';

/** The key that the shell has given this process. It is removed from the environment, which processes of the kernel inherit. */
export function takeLocalFileKey(): string | undefined {
  const key = process.env[LOCAL_FILE_KEY];
  delete process.env[LOCAL_FILE_KEY];
  return key;
}
