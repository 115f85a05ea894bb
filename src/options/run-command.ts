import process from 'node:process';
import { visible } from '../render/visible.ts';
import type { OptionsReading } from './read-options.ts';

/** A command as people type it, such as `countersign verify`, and its help, ending with a newline. */
export type CommandPage = { readonly name: string; readonly help: string };

/** Does what was asked for: prints the help (0), says in one line what is wrong (2), or acts and gives its exit code. */
export async function runCommand<Options>(
  { name, help }: CommandPage,
  reading: OptionsReading<Options>,
  act: (options: Options) => number | Promise<number>,
): Promise<number> {
  switch (reading.kind) {
    case 'help':
      process.stdout.write(help);
      return 0;
    case 'problem':
      return refuse(name, reading.problem);
    case 'options':
      return act(reading.options);
  }
}

/** Says on standard error why a command does not go on, in one line, and gives the exit code. */
export function refuse(name: string, problem: string, code = 2): number {
  process.stderr.write(`${name}: ${visible(problem.replaceAll(/\s+/g, ' '))}\n`);
  return code;
}
