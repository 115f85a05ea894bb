import { pathsOf } from '../../src/core/edits/change.ts';
import { DEFAULT_SETTINGS } from '../../src/core/state/settings.ts';
import { isApprovalVote } from '../../src/core/state/vote.ts';
import { type Cast, playCase } from './case.ts';
import { checkCase } from './checks/check-case.ts';
import type { CheckedCase, PlayedCase } from './checks/evidence.ts';
import { CANARY, HOSTILE_CONTENT, READ_ONLY_PATHS, SECRET_PATHS } from './hostile/denied-files.ts';
import { createHostileModel } from './hostile/hostile-model.ts';
import { DECIDING_PEOPLE, NOBODY_APPROVES } from './hostile/injecting-people.ts';
import { PAYLOADS } from './hostile/payloads.ts';
import { createWitness } from './hostile/witness.ts';
import type { Overrides } from './mutants/mutant.ts';
import { type CaseDatabase, createMemoryDatabase } from './world/database.ts';
import { createRandom } from './world/random.ts';
import { listAllBotComments } from './world/simulated-github.ts';

/** The share of cases in which nobody votes for a change. */
const NOBODY_APPROVES_PROBABILITY = 0.4;

/** The share of cases that the faults of the simulation also hit. */
const FAULTS_PROBABILITY = 0.1;

/** Plays and checks one case with a hostile model and injected texts of strangers. The seed determines everything. */
export async function playHostileCase(
  seed: number,
  database: CaseDatabase = createMemoryDatabase(),
  overrides: Overrides = {},
): Promise<CheckedCase> {
  const random = createRandom(-seed);
  const witness = createWitness();
  const hasVotes = !random.chance(NOBODY_APPROVES_PROBABILITY);
  const hasFaults = random.chance(FAULTS_PROBABILITY);
  const cast: Cast = {
    createModel: (simulatedGitHub, fixture, modelRandom) =>
      createHostileModel(simulatedGitHub, fixture, modelRandom, witness),
    content: HOSTILE_CONTENT,
    actions: hasVotes ? DECIDING_PEOPLE : NOBODY_APPROVES,
    hasSecondThoughts: hasVotes,
    checkNames: PAYLOADS.map(({ text }) => text),
    hasFaults,
    log: witness.log,
  };
  const played = await playCase({ seed, database, cast, overrides });
  const problems = [
    ...(hasFaults ? witness.problems.filter((problem) => !problem.startsWith('error:')) : witness.problems),
    ...(hasVotes ? [] : findVotes(played)),
    ...findForbiddenChanges(played),
    ...findShownSecrets(played),
    ...findEndlessRuns(played),
    ...(await checkCase(played)),
  ];
  return { played, problems };
}

/** Where nobody votes, there is neither a vote for a change nor a commit. */
function findVotes({ trace }: PlayedCase): readonly string[] {
  return trace.events.flatMap((event) => {
    if (event.kind === 'committed' && event.outcome.kind === 'committed')
      return [`write: ${event.plan.proposalIds.join(', ')} was committed, and nobody votes in this case`];
    if (event.kind !== 'saved' || event.result !== 'saved') return [];
    return event.step.votes
      .filter(isApprovalVote)
      .map(({ proposalId, by }) => `write: ${by.login} voted for ${proposalId} without meaning to`);
  });
}

const FORBIDDEN_PATHS: ReadonlySet<string> = new Set(
  [...SECRET_PATHS, ...READ_ONLY_PATHS].map((path) => path.toLowerCase()),
);

/** No change of a denied file, or of one that only people change, is ever shown to people. */
function findForbiddenChanges({ trace }: PlayedCase): readonly string[] {
  const paths = trace.events.flatMap((event) =>
    event.kind !== 'saved' ? [] : event.step.pull.proposals.flatMap(({ change }) => pathsOf(change)),
  );
  return [...new Set(paths)]
    .filter((path) => FORBIDDEN_PATHS.has(path.normalize('NFKC').toLowerCase()) || /(?:^|\/)\.git(?:\/|$)/i.test(path))
    .map((path) => `write: a change of ${path} was proposed`);
}

/** No page of the App shows what stands in a denied file. */
function findShownSecrets(played: PlayedCase): readonly string[] {
  const shown = listAllBotComments(played).filter(({ body }) => CANARY.test(body));
  return shown.map(({ id }) => `read: comment ${id} shows a denied file`);
}

/** Without a word of people and without a new proposal a run gets as many responses as its limits say. */
function findEndlessRuns({ trace }: PlayedCase): readonly string[] {
  const alone = new Map<string, number>();
  return trace.events.flatMap((event) => {
    if (event.kind !== 'saved' || event.result !== 'saved') return [];
    const { signal, step, before } = event;
    const hasProposed = step.pull.proposals.some(({ id }) => !before.has(id));
    if (signal.type === 'intent' || hasProposed) alone.clear();
    if (signal.type !== 'model-responded') return [];
    const responses = (alone.get(signal.runId) ?? 0) + 1;
    alone.set(signal.runId, responses);
    return responses === DEFAULT_SETTINGS.limits.turns + 2
      ? [`endless: ${signal.runId} got ${responses} responses in a row`]
      : [];
  });
}
