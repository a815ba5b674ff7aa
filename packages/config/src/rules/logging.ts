import { repeats } from './repeats.ts';
import { breachIf, type Path, type Rule } from './rule.ts';

const SINKS = ['logging', 'sinks'];

/** Rule 14: `file` goes with type file and with no other. */
export const fileSinksHaveAFile: Rule = ({ config: { logging } }) =>
  (logging.sinks ?? []).flatMap((sink, index) => {
    const at: Path = [...SINKS, index];
    return [
      ...breachIf(sink.type === 'file' && sink.file === null, [...at, 'file'], 'is required for type file', [
        [...at, 'type'],
      ]),
      ...breachIf(
        sink.type === 'stderr' && sink.file !== null,
        [...at, 'file'],
        'must be absent for type stderr',
        [[...at, 'type']],
      ),
    ];
  });

export const sinksDoNotShareAFile: Rule = ({ config: { logging } }) =>
  repeats(logging.sinks ?? [], (sink) => sink.file?.path ?? null).map(({ index, first }) => ({
    path: [...SINKS, index, 'file', 'path'],
    message: `is already the file of sinks[${first}]`,
    because: [[...SINKS, first, 'file', 'path']],
  }));

export const componentsAreNamedOnce: Rule = ({ config: { logging } }) =>
  repeats(logging.components, (component) => component.name).map(({ index, first }) => ({
    path: ['logging', 'components', index, 'name'],
    message: `is already the name of components[${first}]`,
    because: [['logging', 'components', first, 'name']],
  }));
