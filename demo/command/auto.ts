import { StartupError } from '../../src/app/app-identity.ts';
import { GitError } from '../../src/cli/git/run-git.ts';
import { DemoEndedError } from '../ended.ts';
import type { DemoEnvironment } from '../environment.ts';
import type { PullSource } from '../local-repository.ts';
import type { DemoOptions } from '../options.ts';
import { type DemoPull, listHunkLines, openDemoPull, parsePageProposals, readPullPage } from '../pull-request.ts';
import { type DemoDecision, playRounds } from '../rounds.ts';
import { EXAMPLE_PLAN, EXAMPLE_TASK } from '../scenes/example.ts';
import { CANNOT_CODE, createScriptedAgent } from '../script.ts';
import { alignColumns, escapeForTerminal, type Terminal } from '../terminal.ts';
import { exportAndVerify, type VerifiedRow } from '../verify.ts';

const DEFAULT_TASK = 'Please tidy up the lines that this pull request changes, and any small issues you find nearby.';

/** A run that a script plays for all people. */
type AutoRun = {
  readonly source: PullSource;
  readonly isExample: boolean;
  readonly options: DemoOptions;
  readonly terminal: Terminal;
  readonly startedAt: number;
};

/** Plays the run, and prints one screen: what was asked, each change with its end, and what git says of the branch. */
export async function playAlone(run: AutoRun, interrupted: Promise<never>): Promise<number> {
  const environment = await startEnvironmentOrEnd(run.options.model);
  try {
    return await Promise.race([interrupted, playAndCheck(environment, run)]);
  } finally {
    await environment.close();
  }
}

async function startEnvironmentOrEnd(model: string | null): Promise<DemoEnvironment> {
  try {
    // Loaded lazily, so that a wrong option fails before the database loads.
    const { startDemoEnvironment } = await import('../environment.ts');
    return await startDemoEnvironment(model);
  } catch (error) {
    throw error instanceof StartupError ? new DemoEndedError(error.message, 2) : error;
  }
}

async function playAndCheck(environment: DemoEnvironment, run: AutoRun): Promise<number> {
  const { source, isExample, options, terminal } = run;
  const { printLine, paint } = terminal;
  const { github, model } = environment;
  const demoPull = openDemoPull(github, source);
  await environment.waitUntilIdle();
  const given = isExample ? EXAMPLE_PLAN : [];
  const agent = model === null ? null : createScriptedAgent(listHunkLines(github, demoPull), given);
  if (agent !== null) model?.setFallback(agent.answer);
  const task = options.task ?? (isExample ? EXAMPLE_TASK : DEFAULT_TASK);
  printLine(`The real App works on a fake GitHub; a script plays ${model === null ? '' : 'the model and '}all people.`);
  printLine();
  printLine(paint('bold', `${escapeForTerminal(source.title)} #${demoPull.number}`));
  printLine(paint('dim', `${demoPull.fullName}, from ${escapeForTerminal(source.description)}`));
  printLine(`ana asks: ${escapeForTerminal(task)}`);
  printLine();
  printLine(paint('bold', 'What the agent proposed, and how people decided:'));
  const onDecision = (decision: DemoDecision): void =>
    printLine(`  ${describeDecision(environment, demoPull, decision)}`);
  const decisions = await playRounds({ environment, demoPull, onDecision, task, plan: agent?.plan ?? null });
  if (decisions.length === 0 && agent?.plan().length === 0)
    throw new DemoEndedError(`${CANNOT_CODE} Try --model NAME.`, 1);
  const checks = await verifyOrEnd(environment, demoPull, source, decisions);
  printConclusion(checks, decisions, terminal, (Date.now() - run.startedAt) / 1000);
  printNextSteps(options, terminal);
  return 0;
}

const ENDS = {
  approved: '✓ applied',
  'suggestion-committed': '✓ applied',
  denied: '✗ not made',
  'changes-requested': '↻ asked anew',
} as const satisfies Record<DemoDecision['outcome'], string>;

const MAX_WORDS = 60;

/** One line: the file, the person and their words, and the commit that it led to. */
function describeDecision({ github }: DemoEnvironment, demoPull: DemoPull, decision: DemoDecision): string {
  const { proposal, outcome, by, words } = decision;
  const said = words === '' ? 'presses “Commit suggestion”' : escapeForTerminal(words);
  const page = parsePageProposals(readPullPage(github, demoPull)).find(({ id }) => id === proposal.id);
  const commit = /\/commit\/([0-9a-f]{7})/.exec(page?.entry.body ?? '')?.[1];
  const end = commit === undefined || ENDS[outcome] !== '✓ applied' ? '' : ` in ${commit}`;
  const shown = said.length > MAX_WORDS ? `${said.slice(0, MAX_WORDS)} …` : said;
  return `${`${ENDS[outcome]}${end}`.padEnd(20)} ${escapeForTerminal(proposal.path).padEnd(22)} ${by}: ${shown}`;
}

async function verifyOrEnd(
  { github }: DemoEnvironment,
  demoPull: DemoPull,
  source: PullSource,
  decisions: readonly DemoDecision[],
): Promise<readonly VerifiedRow[]> {
  try {
    return await exportAndVerify(github, demoPull, source, decisions);
  } catch (error) {
    if (error instanceof GitError) throw new DemoEndedError(`git rejected the branch: ${error.message}`, 1);
    throw error;
  }
}

/** Prints the checks. Throws `DemoEndedError` when a check failed or no change was approved. */
function printConclusion(
  checks: readonly VerifiedRow[],
  decisions: readonly DemoDecision[],
  { printLine, paint }: Terminal,
  seconds: number,
): void {
  printLine();
  printLine(paint('bold', 'Checked with git, from the commits of the branch alone:'));
  const rows = checks.map(({ subject, attribution, problem }) => [
    problem === null ? paint('green', '✓') : paint('red', '✗'),
    escapeForTerminal(subject),
    attribution,
    problem === null ? '' : paint('red', escapeForTerminal(problem)),
  ]);
  for (const row of alignColumns(rows)) printLine(`  ${row}`);
  printLine();
  const problems = checks.filter(({ problem }) => problem !== null).length;
  const approved = decisions.filter(
    ({ outcome }) => outcome === 'approved' || outcome === 'suggestion-committed',
  ).length;
  if (problems > 0)
    throw new DemoEndedError(
      `the branch differs from the approved changes: ${problems} of ${checks.length} checks failed.`,
      1,
    );
  if (approved === 0)
    throw new DemoEndedError('the agent proposed no change that was approved. Try another --task or --repo.', 1);
  const changes = approved === 1 ? 'one approved change' : `${approved} approved changes`;
  printLine(`The branch holds exactly the ${changes}. The demo took ${seconds.toFixed(1)} s.`);
}

function printNextSteps({ repo, model }: DemoOptions, { printLine, paint }: Terminal): void {
  const steps = [
    ['Play it yourself, in the browser:', 'npm run demo, in a terminal'],
    ...(repo === null ? [['See it on your own repository:', 'npm run demo -- --repo ../some/repository']] : []),
    ...(model === null ? [['Let a real model propose changes:', 'npm run demo -- --model NAME']] : []),
    ['Install the App:', 'see “Install” in README.md'],
  ];
  printLine();
  printLine(paint('bold', 'Next steps:'));
  for (const step of alignColumns(steps)) printLine(`  ${step}`);
}
