import { parseArgs } from 'node:util';
import { type OptionsReading, problem, readOptions as read } from '../options/read-options.ts';

/** What the demo is asked to do; null is “not given”. */
export type DemoOptions = {
  /** Path of a local git repository; without it the built-in example is played. */
  readonly repo: string | null;
  /** What HEAD is compared with; its first parent when null. */
  readonly base: string | null;
  readonly task: string | null;
  /** A model of the endpoint that the environment names; without it a scripted one plays. */
  readonly model: string | null;
  readonly auto: boolean;
};

export const DEMO_HELP = `Usage: countersign demo [options]

Plays one run of the whole App on a simulated GitHub, and checks with git what it left on the branch.

  --repo PATH   a local git repository: its last commit becomes the pull request
                (without it, a small built-in example)
  --base REF    with --repo: what HEAD is compared with; default is its first parent
  --task TEXT   the task that is given to the agent
  --model NAME  a real model, reached with OPENAI_API_KEY and OPENAI_BASE_URL
                (without it, nothing leaves this machine and a script plays the model)
  --auto        play all sides: whoever asks, approves, denies and instructs
  --help        this text
`;

const OPTIONS = {
  repo: { type: 'string' },
  base: { type: 'string' },
  task: { type: 'string' },
  model: { type: 'string' },
  auto: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads what stands behind `countersign demo`. Never throws. */
export function readOptions(argv: readonly string[]): OptionsReading<DemoOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return read('countersign demo', parse, ({ values }) => {
    const { repo = null, base = null, task = null, model = null, auto = false } = values;
    if (base !== null && repo === null) return problem('--base needs --repo.');
    return { kind: 'options', options: { repo, base, task, model, auto } };
  });
}
