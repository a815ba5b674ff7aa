/** One instruction of a Dockerfile: its keyword and the text after it. */
export interface Instruction {
  readonly word: string;
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  /** The platform of its base; if undefined, the target platform. */
  readonly platform: string | undefined;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  /** The default values of the arguments before the first stage. */
  readonly args: ReadonlyMap<string, string>;
  readonly stages: readonly Stage[];
}

/** Parses the part of the language that our Dockerfile uses. */
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

/** The arguments that have a default value. */
export function argumentsOf(instructions: readonly Instruction[]): Map<string, string> {
  const pairs = instructions.filter(({ word }) => word === 'ARG').map(({ text }) => text.split('='));
  return new Map(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name!, value]])));
}

/** Parses the value of an instruction in JSON form, such as CMD. */
export function listOf(stage: Stage, word: string): string[] {
  const { text } = stage.instructions.findLast((instruction) => instruction.word === word)!;
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}
