/** One step of a Dockerfile: its word, and what follows it on its lines. */
export interface Instruction {
  readonly word: string;
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  /** The platform of its base; undefined: the one that is built for. */
  readonly platform: string | undefined;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  /** The defaults of the arguments that stand before the first stage. */
  readonly args: ReadonlyMap<string, string>;
  readonly stages: readonly Stage[];
}

/** Reads as much of the language as our own file uses. */
export function parseDockerfile(source: string): Dockerfile {
  const instructions = source
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Instruction => {
      const [, word, text] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (word === undefined) throw new Error(`no instruction: ${line}`);
      return { word, text: text! };
    });
  const starts = instructions.flatMap(({ word }, i) => (word === 'FROM' ? [i] : []));
  return {
    args: argumentsOf(instructions.slice(0, starts[0])),
    stages: starts.map((start, i) => {
      const [, platform, base, name] = /^(?:--platform=(\S+)\s+)?(\S+)(?:\s+AS\s+(\S+))?$/.exec(
        instructions[start]!.text,
      )!;
      return { base: base!, name, platform, instructions: instructions.slice(start + 1, starts[i + 1]) };
    }),
  };
}

/** The arguments that are given a default. */
export function argumentsOf(instructions: readonly Instruction[]): Map<string, string> {
  const pairs = instructions.filter(({ word }) => word === 'ARG').map(({ text }) => text.split('='));
  return new Map(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name!, value]])));
}

/** The value of an instruction in JSON, such as CMD. */
export function listOf(stage: Stage, word: string): string[] {
  const { text } = stage.instructions.findLast((instruction) => instruction.word === word)!;
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}
