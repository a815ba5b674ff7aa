import type { Answer } from './server.ts';

/** Updates `parameters` with the settings that a response asks the client to send with the next requests. */
export function adoptSession(parameters: Map<string, string>, headers: Answer['headers']): void {
  const [name, ...value] = String(headers['firebolt-update-parameters'] ?? '').split('=');
  if (name) parameters.set(name, value.join('='));
  const removed = headers['firebolt-remove-parameters'];
  if (removed !== undefined) parameters.delete(String(removed));
}
