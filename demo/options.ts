import { defineCommand, OptionsError } from '../src/cli/options.ts';

/** The options of the command; null for a missing option. */
export type DemoOptions = {
  /** Path of a local git repository; null uses the built-in example. */
  readonly repo: string | null;
  /** The commit to compare HEAD with; null means its first parent. */
  readonly base: string | null;
  readonly task: string | null;
  /** Name of a real model; null uses a script. */
  readonly model: string | null;
  /** A script plays all people, and one screen is printed. */
  readonly auto: boolean;
  /** Whether to open the page in a browser. */
  readonly open: boolean;
  /** Of the page; 0 takes a free one. */
  readonly port: number;
};

/** The arguments of `countersign demo`. */
export const DEMO_COMMAND = defineCommand({
  name: 'countersign demo',
  help: `Usage: countersign demo [options]

Serves a pull request of a fake GitHub in your browser, with the real App behind it. You play all people.
Without a terminal, or with --auto, a script plays them, and git checks the branch in the end.

  --repo PATH   a local git repository: its last commit becomes the pull request
                (default: a small built-in example)
  --base REF    with --repo: the commit to compare HEAD with (default: its first parent)
  --model NAME  a real model, which needs OPENAI_API_KEY or OPENAI_BASE_URL
                (default: a script plays the model, and nothing leaves this machine)
  --auto        let a script play all people, and print one screen
  --task TEXT   with --auto: the task for the agent; only a real model follows it
  --no-open     print the address of the page, and open no browser
  --port N      the port of the page (default: a free one)
  --help        show this help
`,
  options: {
    ...{ repo: { type: 'string' }, base: { type: 'string' }, task: { type: 'string' }, model: { type: 'string' } },
    ...{ auto: { type: 'boolean' }, 'no-open': { type: 'boolean' }, port: { type: 'string', default: '0' } },
  },
  read(values): DemoOptions {
    const { repo = null, base = null, task = null, model = null, auto = false, port } = values;
    if (base !== null && repo === null) throw new OptionsError('--base needs --repo.');
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new OptionsError('--port needs a number up to 65535.');
    return { repo, base, task, model, auto, open: values['no-open'] !== true, port: Number(port) };
  },
});
