import type { Logger } from '../../../adapters/telemetry/log.ts';
import { listReadablePaths, matchPaths } from '../../../core/agent/shared/file-list.ts';
import { type Change, MAX_FILE_BYTES, MAX_WHOLE_FILE_BYTES, type StoredFile } from '../../../core/edits/change.ts';
import { findEarlierAnswer } from '../../../core/outcomes/create-proposals.ts';
import { decideReading, findChangeRule } from '../../../core/policy/path-policy.ts';
import { notReadableOutput, notWritableOutput } from '../../../core/policy/path-tables.ts';
import { type CheckedPath, checkPath } from '../../../core/policy/paths.ts';
import type { CheckHistory, PullChecks } from '../../../core/state/checks.ts';
import type { IssuedCall, ToolCall } from '../../../core/state/conversation.ts';
import { activeRun, type PullState } from '../../../core/state/pull-state.ts';
import type { Run } from '../../../core/state/run.ts';
import type { PathRules } from '../../../core/state/settings.ts';
import type { ToolName } from '../../../core/state/tools.ts';
import type { Permission } from '../../../core/state/vote.ts';
import type { PullFacts } from '../../../core/step/facts.ts';
import type { Discussion, GitHub, PullRequestFile, Tree } from '../../../core/step/ports.ts';
import type { ToolResult } from '../../../core/step/signals.ts';
import { isPlainFileMode } from '../../jobs/gather-facts.ts';
import type { Job } from '../../jobs/job.ts';

/** The repository at one commit, as the agent's tools see it. */
export type Workspace = {
  readonly github: GitHub;
  readonly repo: string;
  /** The page of the pull request. */
  readonly pullUrl: string;
  /** The login of the App's bot account, as GraphQL names it. */
  readonly ownLogin: string;
  readonly head: string;
  /** Of the pull request. */
  readonly state: PullFacts['state'];
  readonly tree: Tree;
  /** Downloads the plain files of the head once, for searches only. The result is null if the archive is too large. */
  readonly archive: () => Promise<ReadonlyMap<string, Uint8Array> | null>;
  /** The settings' rules about tools and paths. */
  readonly rules: PathRules;
  /** Which files that need approval to be read are approved, and whether people can be asked for one. */
  readonly gate: ReadingGate;
  /** The task of the run. */
  readonly task: Run['task'];
  /** The files that the run has read in earlier responses. */
  readonly readings: Run['readings'];
  /** Whether people denied this change in the run, or it reverts their own text. */
  readonly isAnsweredEarlier: (change: Change) => boolean;
  /** The calls that were refused because a file would no longer parse, by their keys. */
  readonly syntaxRefusals: ReadonlySet<string>;
  /** The files that the pull request changes. */
  readonly changedFiles: () => Promise<readonly PullRequestFile[]>;
  /** The words of people and bots, read once for all calls of a response. */
  readonly discussion: () => Promise<Discussion>;
  /** The checks of the pull request, read once for all calls of a response. */
  readonly checks: () => Promise<PullChecks | null>;
  /** What the run knows of them; null for a question. */
  readonly checkHistory: CheckHistory | null;
  /** The permissions that were asked for so far, by login. */
  readonly permissions: Map<string, Permission>;
  /** The workspace at the commit from which the pull request branched off. Search and changes belong to the head. */
  readonly atBase: () => Promise<Workspace>;
  readonly log: Logger;
  /** Ms since the epoch. */
  readonly now: () => number;
};

/** The files that people must approve before a tool shows their content. */
type ReadingGate = {
  /** Whether people approved this version of a file in the run. */
  readonly isApproved: (path: string, blob: string) => boolean;
  /** False in the answer to a person's question, which reads only and asks for no approval. */
  readonly canAsk: boolean;
};

/** Facts from earlier responses, for the tools of a run or of a person's question. */
type WorkspaceInput = Pick<Run, 'task' | 'readings' | 'syntaxRefusals'> & Pick<Workspace, 'rules' | 'gate'>;

/** Opens the current head of the pull request. */
export async function createWorkspace(
  job: Pick<Job, 'context'>,
  pull: PullState,
  { task, readings, syntaxRefusals, rules, gate }: WorkspaceInput,
): Promise<Workspace> {
  const { githubApp, log, clock, self, links } = job.context;
  const github = githubApp.forPull(pull.ref);
  const { headSha, baseSha, state } = await github.fetchPull();
  const workspace = {
    ...{ github, log, task, readings, rules, gate },
    repo: pull.ref.repo,
    pullUrl: `${links(pull.ref).repository}/pull/${pull.ref.number}`,
    ownLogin: self.slug,
    head: headSha,
    state,
    tree: await github.fetchTree(headSha),
    archive: once(() => github.fetchArchive(headSha)),
    syntaxRefusals: new Set(syntaxRefusals),
    isAnsweredEarlier: (change: Change) => findEarlierAnswer(pull, change) !== null,
    changedFiles: once(() => github.listFiles(headSha)),
    discussion: once(() => github.fetchDiscussion()),
    checks: once(() => github.fetchChecks()),
    checkHistory: activeRun(pull)?.branch.checks ?? null,
    permissions: new Map<string, Permission>(),
    now: () => clock.now(),
  };
  const atBase = once(async (): Promise<Workspace> => {
    const tree = await github.fetchTree(await github.fetchMergeBase(baseSha, headSha));
    return { ...workspace, tree, atBase };
  });
  return { ...workspace, atBase };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let cached: Promise<Value> | null = null;
  return () => {
    cached ??= make();
    return cached;
  };
}

/** A call, with the results of the preceding calls of its batch. */
export type ToolCallContext = {
  readonly workspace: Workspace;
  readonly call: IssuedCall;
  readonly earlier: readonly NumberedResult[];
};

/** The result of a call that only returns text. */
export type ToolOutput = Extract<ToolResult, { kind: 'output' }>;

export function toolOutput(call: ToolCall, text: string): ToolOutput {
  return { callId: call.id, kind: 'output', output: text };
}

/** The limits of a tool: which rule denies a path, the text of that refusal, and the largest file. */
type PathAccess = {
  readonly deniedBy: (rules: PathRules, path: string) => string | null;
  readonly refusalText: (path: string, rule: string) => string;
  readonly limit: { readonly bytes: number; readonly verb: string };
  /** To ask people about a file, which is fetched for its size alone. */
  readonly passesGate?: true;
};

export function readAccess(tool: 'read_file' | 'outline'): PathAccess {
  return {
    deniedBy: (rules, path) => {
      const decision = decideReading(rules, tool, path);
      return decision.kind === 'deny' ? decision.rule : null;
    },
    refusalText: notReadableOutput,
    limit: { bytes: MAX_FILE_BYTES, verb: 'read' },
  };
}

/** For the target of a move. The rules of all these tools hold. */
export function writeAccess(tools: readonly ToolName[]): Omit<PathAccess, 'limit'> {
  return { deniedBy: (rules, path) => findChangeRule(rules, tools, path), refusalText: notWritableOutput };
}

export function editAccess(tools: readonly ToolName[]): PathAccess {
  return { ...writeAccess(tools), limit: { bytes: MAX_FILE_BYTES, verb: 'edited or written' } };
}

export function wholeFileAccess(tools: readonly ToolName[]): PathAccess {
  return { ...writeAccess(tools), limit: { bytes: MAX_WHOLE_FILE_BYTES, verb: 'deleted or moved' } };
}

/** A file of an allowed path (null if there is none), or the output that refuses it. */
type FileLookup =
  | { readonly kind: 'file'; readonly path: string; readonly file: StoredFile | null }
  | { readonly kind: 'refused'; readonly output: string };

/**
 * Checks a path from the model and fetches its file (null if there is none). Checks the size before the download, and
 * fetches no file that people must first approve: results of every tool show lines of its file.
 */
export async function fetchAllowedFile(
  workspace: Pick<Workspace, 'github' | 'repo' | 'tree' | 'rules' | 'gate'>,
  rawPath: string,
  access: PathAccess,
): Promise<FileLookup> {
  const checked = checkAccess(checkPath(rawPath, { repo: workspace.repo, tree: workspace.tree }), access, workspace);
  if (checked.kind === 'refused') return checked;
  const { path } = checked;
  const entry = workspace.tree.get(path);
  if (entry === undefined) return { kind: 'file', path, file: null };
  const { mode, sha: blob, size } = entry;
  if (!isPlainFileMode(mode)) return { kind: 'refused', output: `${path} is not a plain file.` };
  const gatedBy = access.passesGate === true ? null : findGate(workspace, path, blob);
  if (gatedBy !== null) return { kind: 'refused', output: gatedOutput(workspace, path, gatedBy) };
  const { bytes: maxBytes, verb } = access.limit;
  if ((size ?? 0) > maxBytes)
    return { kind: 'refused', output: `${path} has ${size} bytes and at most ${maxBytes} can be ${verb}.` };
  return { kind: 'file', path, file: { ref: { blob, mode }, bytes: await workspace.github.fetchBlob(blob) } };
}

/** The rule by which people must approve that this version of a file is read; null if it can be read now. */
export function findGate(
  { rules, gate }: Pick<Workspace, 'rules' | 'gate'>,
  path: string,
  blob: string,
): string | null {
  const decision = decideReading(rules, 'read_file', path);
  return decision.kind === 'ask' && !gate.isApproved(path, blob) ? decision.rule : null;
}

function gatedOutput({ gate }: Pick<Workspace, 'gate'>, path: string, rule: string): string {
  return gate.canAsk
    ? `Not done: people must first approve that ${path} is read (${rule}). Call read_file to ask them.`
    : `Cannot read '${path}' here: people must first approve that it is read (${rule}), and only a run can ask them.`;
}

/** Refuses a path that a rule denies to the tool. */
export function checkAccess(
  checked: CheckedPath,
  { deniedBy, refusalText }: Pick<PathAccess, 'deniedBy' | 'refusalText'>,
  { rules }: Pick<Workspace, 'rules'>,
): CheckedPath {
  const rule = checked.kind === 'path' ? deniedBy(rules, checked.path) : null;
  return checked.kind === 'path' && rule !== null
    ? { kind: 'refused', output: refusalText(checked.path, rule) }
    : checked;
}

/** A result with the response of its call. */
export type NumberedResult = ToolResult & { readonly turn: number };

/** A tree, and the rules that say which of its paths the model may know. */
type ListedTree = { readonly tree: Tree; readonly rules: PathRules };

/** The listing of a tree under the rules that it was last listed with, as JSON. */
const READABLE_PATHS = new WeakMap<Tree, { readonly underRules: string; readonly paths: readonly string[] }>();

/** Sorted paths of the plain files that tools can read; kept as long as the tree is. */
export function readablePaths({ tree, rules: { rules, operatorRules } }: ListedTree): readonly string[] {
  const underRules = JSON.stringify([rules, operatorRules]);
  const known = READABLE_PATHS.get(tree);
  if (known?.underRules === underRules) return known.paths;
  const paths = listReadablePaths(tree, { rules, operatorRules });
  READABLE_PATHS.set(tree, { underRules, paths });
  return paths;
}

/** Those of them that match the glob (null: all). */
export function findReadablePaths(listed: ListedTree, glob: string | null): readonly string[] {
  const paths = readablePaths(listed);
  return glob === null ? paths : matchPaths(paths, glob);
}
