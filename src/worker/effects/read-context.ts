import { findDeclarations } from '../../adapters/syntax/parse-source.ts';
import { boundExcerpts, excerptsAround, namedPlaces, quotedNames } from '../../core/agent/context/code-excerpts.ts';
import { type CommentedPlace, commentedLine, selectDiffs } from '../../core/agent/context/diff-excerpt.ts';
import { summarizeRuns } from '../../core/agent/context/earlier-runs.ts';
import { buildOverview } from '../../core/agent/context/first-message.ts';
import { boundInstructions, findInstructions, readInstructions } from '../../core/agent/context/instructions.ts';
import {
  hasReadableHunks,
  listChangedFiles,
  summarizePull,
  visibilityOf,
} from '../../core/agent/context/pull-summary.ts';
import {
  findSpeakers,
  formatTaskDiscussion,
  narrowToTask,
  otherReviews,
  pointsToComments,
} from '../../core/agent/shared/discussion.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { pathRulesOf } from '../../core/policy/path-policy.ts';
import { activeRun } from '../../core/state/pull-state.ts';
import type { Task } from '../../core/state/run.ts';
import type { PathRules, Settings } from '../../core/state/settings.ts';
import {
  CONTEXT_LIMITS,
  type CodeExcerpt,
  type InstructionFile,
  type Part,
  type PullSummary,
  type PushContent,
  type TaskContext,
} from '../../core/state/task-context.ts';
import {
  type GitHub,
  means,
  type PullRequestFile,
  type PushComparison,
  type ReviewThread,
} from '../../core/step/ports.ts';
import { DONE, type EffectResult, type Job, loadJobPull, resultIfClosed } from '../jobs/job.ts';
import { hasNamedTime } from '../jobs/retries.ts';
import { askPermissions } from './tools/read-tools.ts';
import { fetchAllowedFile, readAccess, readablePaths } from './tools/workspace.ts';

/** Everything that the parts of the context are read with, for a run's task or a person's question. */
type ContextReader = {
  readonly github: GitHub;
  readonly task: Task;
  /** Paths of the repository's instructions. */
  readonly contextFiles: Settings['contextFiles'];
  readonly rules: PathRules;
  /** The name of the repository. */
  readonly repo: string;
  /** The run that is not an earlier one; null for a question. */
  readonly runId: string | null;
  readonly pull: PullSummary;
  readonly job: Pick<Job, 'context' | 'stored' | 'attempts'>;
};

/** Reads what the first message shows. GitHub's requests follow each other. */
export async function readContext(job: Job<'read-context'>): Promise<EffectResult> {
  const { effect } = job;
  const { ref, run } = await loadActiveRun(job);
  if (run === null) return DONE;
  const github = job.context.githubApp.forPull(ref);
  const known = job.attempts === 1 ? effect.pull : null;
  const facts = known ?? (await github.fetchPull());
  const closed = 'state' in facts ? resultIfClosed(facts) : null;
  if (closed !== null) return closed;
  const pull = 'state' in facts ? summarizePull(facts) : facts;
  const { task, settings } = run;
  const context = await readTaskContext({
    ...{ github, task, pull, job, repo: ref.repo },
    ...{ contextFiles: settings.contextFiles, rules: pathRulesOf(settings), runId: run.id },
  });
  return { kind: 'done', signal: { type: 'context-read', runId: run.id, pull, context } };
}

/** Reads what the first message shows, part by part. */
export async function readTaskContext(reader: ContextReader): Promise<TaskContext> {
  const { github, task, runId, pull, job, rules } = reader;
  const files = await readPart(job, () => github.listFiles(pull.headSha));
  const { location } = task;
  const listed = files.kind === 'read' ? files.value : null;
  const said = await readPart(job, () => readTaskDiscussion(reader, listed));
  const paths = await readPart(job, async () => readablePaths({ tree: await github.fetchTree(pull.headSha), rules }));
  const places = [
    ...(location.at === 'thread' ? [{ ...location, side: location.side ?? ('RIGHT' as const) }] : []),
    ...(said.kind === 'read' ? said.value.places : []),
    ...(paths.kind === 'read' ? namedPlaces(task.text, paths.value) : []),
  ];
  const parts = {
    changed: mapPart(files, (all) => listChangedFiles(all, pull.changedFiles, rules)),
    diff: mapPart(files, (all) => selectDiffs(all, CONTEXT_LIMITS.diff, rules, places)),
    instructions: await readPart(job, () => readRepositoryInstructions(reader, files)),
    overview: mapPart(paths, buildOverview),
    discussion: mapPart(said, ({ discussion }) => discussion),
    reviews: mapPart(said, ({ reviews }) => reviews),
    code: await readPart(job, () => readCodeAround(reader, places, quotedNames(task.text))),
    checks: await readChecks(reader),
    areThreadLinesReadable: location.at === 'thread' && hasReadableHunks(location.path, listed, rules),
  };
  const { context, stored } = job;
  const earlier = await context.store.listEarlierRuns(
    stored.pullRequestKey,
    runId ?? '',
    CONTEXT_LIMITS.earlierRunCount,
  );
  return { ...parts, earlierRuns: { kind: 'read', value: summarizeRuns(earlier, rules) } };
}

async function loadActiveRun(job: Job<'read-context'>) {
  const pull = await loadJobPull(job);
  const run = activeRun(pull);
  const isReading = run?.id === job.effect.runId && run.phase.kind === 'reading-context';
  return { ref: pull.ref, run: isReading ? run : null };
}

/** Attempts, about two minutes, after which a part that GitHub fails to serve is left out. */
const MAX_CONTEXT_ATTEMPTS = 8;

/** Reads one part. A part that cannot be read in this form is left out. Anything else leads to a new attempt. */
async function readPart<Value>({ attempts }: Pick<Job, 'attempts'>, read: () => Promise<Value>): Promise<Part<Value>> {
  try {
    return { kind: 'read', value: await read() };
  } catch (error) {
    const isGivenUp = means(error, 'our-mistake') || (attempts >= MAX_CONTEXT_ATTEMPTS && !hasNamedTime(error));
    if (!isGivenUp) throw error;
    return { kind: 'unreadable' };
  }
}

/** They are no part of the task, so a run begins without them where they cannot be read. */
async function readChecks({ github, job }: ContextReader): Promise<TaskContext['checks']> {
  const read = await readPart(job, () => github.fetchChecks());
  return read.kind === 'read' ? read.value : null;
}

function mapPart<Value, Other>(part: Part<Value>, map: (value: Value) => Other): Part<Other> {
  return part.kind === 'read' ? { kind: 'read', value: map(part.value) } : part;
}

/** The repository's instructions come from its default branch: anybody can write those of the head. */
async function readRepositoryInstructions(
  { github, contextFiles, pull, rules }: ContextReader,
  files: Part<readonly PullRequestFile[]>,
): Promise<readonly InstructionFile[]> {
  if (contextFiles.length === 0) return [];
  const changedPaths = files.kind === 'read' ? files.value.map(({ path }) => path) : [];
  const sources = findInstructions(await github.fetchBranchTree(pull.defaultBranch), contextFiles, changedPaths, rules);
  const found: InstructionFile[] = [];
  for (const source of sources) {
    const { path } = source;
    if (source.kind === 'refused') {
      found.push({ path, text: '', note: source.note });
      continue;
    }
    const bytes = await github.fetchBlob(source.entry.sha);
    found.push(readInstructions({ path, bytes }));
  }
  return boundInstructions(found);
}

/** What the task can mean of what others wrote, as text, and the places that it is about. */
type TaskDiscussion = {
  readonly discussion: string;
  readonly reviews: string;
  readonly places: readonly CommentedPlace[];
};

/** Reads the comments that the task can mean. No request where it stands alone. */
async function readTaskDiscussion(
  { github, task, rules, job }: ContextReader,
  files: readonly PullRequestFile[] | null,
): Promise<TaskDiscussion> {
  if (!pointsToComments(task)) return { discussion: '', reviews: '', places: [] };
  const ownLogin = job.context.self.slug;
  const all = await github.fetchDiscussion();
  const common = { task, ownLogin, rules, lineOf: (thread: ReviewThread) => commentedLine(thread, files, rules) };
  const own = { ...common, discussion: narrowToTask(all, task, ownLogin) };
  const others = { ...common, discussion: otherReviews(all, task) };
  const permissions = await askPermissions(github, [...new Set([own, others].flatMap((one) => findSpeakers(one)))]);
  return {
    discussion: formatTaskDiscussion({ ...own, permissions }),
    reviews: formatTaskDiscussion({ ...others, permissions }, CONTEXT_LIMITS.reviews),
    places: [own, others].flatMap((one) => one.discussion.threads),
  };
}

/** Reads what another person pushed during the run. Results of the run wait for it, but not for ever. */
export async function describePush(job: Job<'read-push'>): Promise<EffectResult> {
  const { type: _, ...push } = job.effect;
  const pull = await loadJobPull(job);
  const run = activeRun(pull);
  if (run?.id !== push.runId) return DONE;
  const github = job.context.githubApp.forPull(pull.ref);
  const read = await readPart(job, () => github.comparePush(push.before, push.after));
  const comparison = read.kind === 'read' ? read.value : null;
  const content = comparison === null ? null : toPushContent(comparison, pathRulesOf(run.settings));
  return { kind: 'done', signal: { type: 'push-read', ...push, content } };
}

function toPushContent({ files, rewritten }: PushComparison, rules: PathRules): PushContent {
  const { pushFileCount, pushDiff } = CONTEXT_LIMITS;
  const listed = files.filter((file) => visibilityOf(file, rules) !== 'hidden').slice(0, pushFileCount);
  const paths = listed.map(({ path }) => path);
  const diff = selectDiffs(listed, pushDiff, rules);
  return { files: paths, unlistedFiles: files.length - listed.length, diff, rewritten };
}

/** The head of a pull request, the name of its repository, and what may be read there. */
type HeadReader = {
  readonly github: GitHub;
  readonly repo: string;
  readonly pull: PullSummary;
  readonly rules: PathRules;
};

/** The functions around places, and those of these names in their files. A line of the base is not at the head. */
async function readCodeAround(
  { github, repo, pull, rules }: HeadReader,
  places: readonly CommentedPlace[],
  names: ReadonlySet<string>,
): Promise<readonly CodeExcerpt[]> {
  const atHead = places.filter(({ line, side }) => side !== 'LEFT' && (line !== null || names.size > 0));
  if (atHead.length === 0) return [];
  const gate = { isApproved: () => false, canAsk: false };
  const workspace = { github, tree: await github.fetchTree(pull.headSha), repo, rules, gate };
  const excerpts: CodeExcerpt[] = [];
  for (const path of new Set(atHead.map((one) => one.path))) {
    const found = await fetchAllowedFile(workspace, path, readAccess('read_file'));
    const decoded = found.kind === 'file' && found.file !== null ? decodeText(found.file.bytes) : null;
    if (decoded?.kind !== 'text') continue;
    const source = { path, text: decoded.text, names };
    const lines = atHead.flatMap((one) => (one.path === path && one.line !== null ? [one.line] : []));
    excerpts.push(...excerptsAround({ ...source, declarations: await findDeclarations(source) }, lines));
  }
  return boundExcerpts(excerpts);
}
