import type { Page, PersonOnGitHub, Said } from './github.ts';

/** What one step found. A step that failed has a problem, and ends the trial. */
export type Step = {
  readonly name: string;
  readonly ms: number;
  readonly note: string;
  readonly problem: string | null;
};

export type Trial = {
  readonly person: PersonOnGitHub;
  /** Waits; a trial on a fake GitHub moves its clock instead. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  /** How long the App may take for one thing, the model included. */
  readonly patienceMs: number;
  /** Runs `countersign verify` on a clone; null if it holds, else its words. */
  readonly verify: (commits: {
    readonly base: string;
    readonly head: string;
    readonly slug: string;
  }) => Promise<string | null>;
  /** Asks what only GitHub itself can answer, while changes are pending. */
  readonly ask: (pull: { readonly head: string; readonly task: Said }) => Promise<readonly Step[]>;
  readonly print: (line: string) => void;
};

const PATH = 'countersign-trial.txt';

const FILLER = Array.from({ length: 9 }, (_, row) => `row ${row + 1}\n`).join('');

const TEXT = ['alpha', 'beta', 'gamma'].map((name) => `${name}: one\n${FILLER}`).join('');

const TASK = `/countersign In ${PATH} change "alpha: one" to "alpha: two", "beta: one" to "beta: two" and "gamma: one" to "gamma: two", by three calls of edit_file in one response. Change nothing else, and ask nothing.`;

/** GitHub's times are whole seconds, and a command applies to what was posted in an earlier one. */
const SECOND_MS = 1_100;

const LOOK_MS = 3_000;

/** Plays one whole run on a pull request of its own, which it closes at the end. */
export async function playTrial(trial: Trial): Promise<readonly Step[]> {
  const { person, now, print } = trial;
  const steps: Step[] = [];
  const report = (step: Step): void => {
    steps.push(step);
    print(formatStep(step));
  };
  const step: RunStep = async (name, run) => {
    const begun = now();
    try {
      const [value, note] = await run();
      report({ name, ms: now() - begun, note, problem: null });
      return value;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      report({ name, ms: now() - begun, note: '', problem });
      throw new TrialEndedError();
    }
  };
  const branch = `countersign-trial-${now().toString(36)}`;
  try {
    const pull = await step('pull request', () => openPull(person, branch));
    await playRun(trial, pull, step, report).finally(() => person.close(pull.number, branch));
  } catch (error) {
    if (!(error instanceof TrialEndedError)) throw error;
  }
  return steps;
}

async function openPull(person: PersonOnGitHub, branch: string): Promise<readonly [Pull, string]> {
  const { login, base, canPush } = await person.lookAround();
  if (!canPush) throw new Error(`${login} cannot push to ${person.repository}`);
  const pull = await person.openPull(branch, base, { path: PATH, text: TEXT });
  return [pull, `${pull.url} by ${login}`];
}

class TrialEndedError extends Error {}

type RunStep = <Value>(name: string, run: () => Promise<readonly [Value, string]>) => Promise<Value>;

type Pull = { readonly number: number; readonly base: string };

async function playRun(trial: Trial, pull: Pull, step: RunStep, report: (step: Step) => void): Promise<void> {
  const { person } = trial;
  const until = <Value>(what: string, look: () => Promise<Value | undefined>) => waitFor(trial, what, look);
  const page = (text: string, known: readonly Page[] = []): Promise<Page> =>
    until(`a page with "${text}"`, async () => {
      const pages = await person.pages(pull.number);
      return pages.find((one) => one.body.includes(text) && !known.some(({ proposal }) => proposal === one.proposal));
    });
  const act = async (action: () => Promise<Said>): Promise<Said> => {
    await trial.sleep(SECOND_MS);
    return action();
  };
  const committed = (line: string): Promise<string> =>
    until(`a commit with "${line}"`, async () => {
      const head = await person.head(pull.number);
      return (await person.read(head, PATH)).includes(`${line}\n`) ? head : undefined;
    });
  const heard = (said: Said): Promise<true> =>
    until('a reaction', async () => ((await person.reactions(said)).length > 0 ? true : undefined));
  const approve = async (shown: Page, line: string): Promise<readonly [string, string]> => {
    await act(() => person.answer(pull.number, shown, '/approve'));
    const head = await committed(line);
    return [head, head.slice(0, 12)];
  };

  const task = await step('task', async () => {
    const said = await act(() => person.say(pull.number, TASK));
    await heard(said);
    return [said, 'the App reacted'];
  });
  const [alpha, beta, gamma] = await step('proposal', async () => {
    const shown = [await page('alpha: two'), await page('beta: two'), await page('gamma: two')] as const;
    return [shown, shown.map(({ proposal }) => proposal).join(', ')];
  });
  for (const answer of await trial.ask({ head: await person.head(pull.number), task })) report(answer);
  await step('approve', () => approve(alpha, 'alpha: two'));
  await step('deny', async () => {
    await heard(await act(() => person.answer(pull.number, gamma, '/deny not in this trial')));
    return [null, gamma.proposal];
  });
  const again = await step('instruct', async () => {
    await act(() => person.answer(pull.number, beta, '/edit Use "beta: three" instead.'));
    const shown = await page('beta: three', [beta]);
    return [shown, shown.proposal];
  });
  await step('approve the new version', () => approve(again, 'beta: three'));
  const head = await step('undo', async () => {
    const known = await person.pages(pull.number);
    await act(() => person.answer(pull.number, alpha, '/undo'));
    return approve(await page('alpha: one', known), 'alpha: one');
  });
  await step('verify', async () => {
    const slug = alpha.author.replace(/\[bot\]$/, '');
    const problem = await trial.verify({ base: pull.base, head, slug });
    if (problem !== null) throw new Error(problem);
    const text = await person.read(head, PATH);
    if (text !== TEXT.replace('beta: one', 'beta: three'))
      throw new Error(`${PATH} has other bytes than were approved`);
    return [null, 'every byte was approved, and the denied one is not there'];
  });
}

async function waitFor<Value>(
  { now, sleep, patienceMs }: Trial,
  what: string,
  look: () => Promise<Value | undefined>,
): Promise<Value> {
  for (const end = now() + patienceMs; ; await sleep(LOOK_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    if (now() > end) throw new Error(`${what} did not come within ${Math.round(patienceMs / 1000)} s`);
  }
}

/** One line of the report. */
export function formatStep({ name, ms, note, problem }: Step): string {
  return `${problem === null ? '✓' : '✗'} ${name.padEnd(24)} ${(ms / 1000).toFixed(1).padStart(6)} s  ${problem ?? note}`;
}
