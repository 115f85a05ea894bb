import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { assessProposedMove, type FilesToFetch, filesToFetch, pathPush } from '../../core/actions/head-assessment.ts';
import { USER_EDIT_FILE_CHANGED, withBaseText } from '../../core/commands/edit.ts';
import { withCurrentNames } from '../../core/decide.ts';
import { applyUserEdit } from '../../core/edits/build/user-edit.ts';
import type { FileMode } from '../../core/edits/change.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import { needs } from '../../core/needs.ts';
import { findOwners, isOwner, isTeam, MAX_CODEOWNERS_BYTES, ownersOf } from '../../core/policy/code-owners.ts';
import { computeUndo, reverseChange } from '../../core/policy/compute-undo.ts';
import { joinRules, pathRulesOf } from '../../core/policy/path-policy.ts';
import { checkMoveTarget } from '../../core/policy/paths.ts';
import { assessPush } from '../../core/policy/staleness.ts';
import { listSettingsInForce, parseSettings } from '../../core/settings/repo-settings.ts';
import { type BranchFacts, findRefusingRules } from '../../core/state/head-branch.ts';
import type { FileAtHead, PathStaleness, PathStalenessInput, Staleness } from '../../core/state/head-changes.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { CodeOwners, PathRules } from '../../core/state/settings.ts';
import { distinctPeople, type Permission, type Person, voteSourceKey } from '../../core/state/vote.ts';
import { createDoubts, type Doubts } from '../../core/step/doubts.ts';
import type { Facts, Need } from '../../core/step/facts.ts';
import { type GitHub, means, type Tree } from '../../core/step/ports.ts';
import type { Signal } from '../../core/step/signals.ts';
import type { PullContext, RulesContext, WorkerContext } from './job.ts';

/** Fetches facts until the signal can be decided. Rejects with `GitHubError`. */
export async function gatherFacts(context: WorkerContext, stored: PullState, signal: Signal): Promise<Facts> {
  const pull = withCurrentNames(stored, signal);
  const { githubApp, operatorSettings } = context;
  const pullContext = { github: githubApp.forPull(pull.ref), operatorSettings };
  let facts = localFacts(context, pull);
  for (;;) {
    const [need] = needs(pull, signal, facts);
    if (need === undefined) return facts;
    const fact =
      need.kind === 'run-limit'
        ? { reachedRunLimit: await context.store.findReachedRunLimit(pull.ref, need.start, context.clock.now()) }
        : await fetchFact(pullContext, need);
    facts = { ...facts, ...fact };
    if (need.kind === 'missing-permissions') logMissing(context, pull, facts);
  }
}

/** For the operator: people without access to the App's settings read the same on the pull request. */
function logMissing({ log }: WorkerContext, { ref }: PullState, { missingPermissions: permissions = [] }: Facts): void {
  if (permissions.length === 0) return;
  const fields = { repo: `${ref.owner}/${ref.repo}`, installation: ref.installationId, permissions };
  log.warn(fields, 'installation lacks permissions, no run was started');
}

/** The facts that need no request. */
export function localFacts(context: WorkerContext, pull: PullState): Facts {
  const now = new Date(context.clock.now()).toISOString();
  const ownerAllowed = context.isServedOwner(pull.ref.owner);
  const known = { now, app: context.self, ownerAllowed, idKey: context.idKey };
  const { prices } = context.operatorSettings();
  return prices.size === 0 ? known : { ...known, modelPrices: prices };
}

type NeedOf<Kind extends Need['kind']> = Extract<Need, { kind: Kind }>;

async function fetchFact(context: RulesContext, need: Exclude<Need, { kind: 'run-limit' }>): Promise<Partial<Facts>> {
  const { github } = context;
  switch (need.kind) {
    case 'permission':
      return { permission: await fetchPersonPermission(github, need) };
    case 'missing-permissions':
      return { missingPermissions: await github.missingPermissions() };
    case 'pull-request':
      return { pullRequest: await github.fetchPull() };
    case 'settings':
      return { settings: parseSettings(await github.fetchSettingsFile(), context.operatorSettings()) };
    case 'code-owners':
      return { codeOwners: await fetchCodeOwners(context, need) };
    case 'settings-in-force':
      return { settingsInForce: listSettingsInForce(await github.fetchSettingsFile(), context.operatorSettings()) };
    case 'branch':
      return { branch: await fetchBranch(github, need) };
    case 'thread-author':
      return { threadAuthor: await fetchThreadAuthor(github, need.rootId) };
    case 'review-comments':
      return { reviewComments: await github.listReviewComments(need.reviewId) };
    case 'comment-hashes':
      return fetchShownProposals(context, need);
    case 'undo':
      return { undo: await fetchUndo(context, need) };
    case 'staleness':
      return { staleness: await fetchStaleness(context, need) };
    case 'brought-by-push':
      return { broughtByPush: await fetchStaleness(context, need).catch(noneIfGone) };
    case 'standing-approvals':
      return { standingPermissions: await fetchPermissions(github, need.people) };
    case 'user-edit':
      return { userEdit: await fetchUserEdit(context, need) };
  }
}

async function fetchThreadAuthor(github: GitHub, commentId: number): Promise<number | null> {
  const root = { surface: 'thread', commentId } as const;
  return (await github.fetchVoteSources([root]))[voteSourceKey(root)]?.authorId ?? null;
}

/** Reads the pages of pending proposals. */
async function fetchShownProposals(
  { github }: PullContext,
  { proposals }: NeedOf<'comment-hashes'>,
): Promise<Pick<Facts, 'commentHashes'>> {
  const texts = await github.fetchCommentTexts(proposals.flatMap(({ comment }) => comment ?? []));
  return {
    commentHashes: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text?.bodyHash ?? null])),
  };
}

/** A commit can dismiss approvals only where there are some, which saves a request otherwise. */
async function fetchBranch(github: GitHub, need: NeedOf<'branch'>): Promise<BranchFacts> {
  const { headRef, baseRef, approvals } = need;
  const doubts = createDoubts();
  const refusingRules = findRefusingRules((await doubts.ask(github.fetchRules(headRef))) ?? []);
  const baseRules = approvals === 0 ? [] : ((await doubts.ask(github.fetchRules(baseRef))) ?? []);
  doubts.settle();
  const dismissedApprovals = baseRules.some((rule) => rule.dismissesReviews) ? approvals : 0;
  return { refusingRules, dismissedApprovals, otherPulls: await github.otherPullsOnBranch(headRef) };
}

/**
 * The rules about paths as they are now. While the repository's file is broken, those that its last run began with hold
 * beside the operator's and those that are still legible.
 */
export async function fetchPathRules(
  { operatorSettings }: Pick<RulesContext, 'operatorSettings'>,
  github: GitHub,
  { run }: PullState,
): Promise<PathRules> {
  const reading = parseSettings(await github.fetchSettingsFile(), operatorSettings());
  const current = pathRulesOf(reading.settings);
  if (reading.kind !== 'broken' || run === null) return current;
  return { ...current, rules: joinRules(current.rules, run.settings.rules) };
}

/** The permission of a person; `none` if another account has taken over the login. */
async function fetchPersonPermission(github: GitHub, person: Person): Promise<Permission> {
  const { permission, userId } = await github.fetchPermission(person.login);
  return userId === null || userId === person.id ? permission : 'none';
}

/** The current permissions of people, by numeric id. */
export async function fetchPermissions(
  github: GitHub,
  people: readonly Person[],
): Promise<Readonly<Record<string, Permission>>> {
  const permissions: Record<string, Permission> = {};
  const doubts = createDoubts();
  for (const person of distinctPeople(people))
    permissions[person.id] = (await doubts.ask(fetchPersonPermission(github, person))) ?? 'none';
  doubts.settle();
  return permissions;
}

/** Assesses pending proposals at a new head. Works path by path, to hold the files of only one path in memory. */
async function fetchStaleness(
  { github }: PullContext,
  need: NeedOf<'staleness' | 'brought-by-push'>,
): Promise<Staleness> {
  const { paths, moves } = need.staleness;
  const trees = { base: await github.fetchTree(need.fromSha), head: await github.fetchTree(need.head) };
  const staleness: PathStaleness[] = [];
  for (const input of paths) {
    // Each path can take milliseconds, so let other work run in between.
    await yieldToEventLoop();
    staleness.push(...(await fetchPathStaleness({ github }, trees, input)));
  }
  const files = await fetchFiles(github, trees.head, filesToFetch(moves.map(({ change }) => change)));
  return { paths: staleness, moves: moves.map((move) => assessProposedMove(move, files)) };
}

/** Where a force push dropped the commits of a push, nothing is known of it. */
function noneIfGone(error: unknown): Staleness {
  if (means(error, 'gone')) return { paths: [], moves: [] };
  throw error;
}

/** Empty if the path is unchanged. */
async function fetchPathStaleness(
  { github }: PullContext,
  { base, head }: { readonly base: Tree; readonly head: Tree },
  input: PathStalenessInput,
): Promise<readonly PathStaleness[]> {
  const { path } = input;
  if (pathPush(input, fileWithoutText(base, path), fileWithoutText(head, path)) === null) return [];
  const push = pathPush(input, await fetchFile(github, base, path), await fetchFile(github, head, path));
  if (push === null) return [];
  return [{ path, ...assessPush(push) }];
}

async function fetchUndo(
  { github }: PullContext,
  { head, applied }: NeedOf<'undo'>,
): Promise<NonNullable<Facts['undo']>> {
  const toFetch = filesToFetch(applied.members.map(reverseChange));
  return computeUndo(applied, await fetchFiles(github, await github.fetchTree(head), toFetch));
}

/** Applies a person's own lines to the file that the proposal was made for. Its staleness is assessed later. */
async function fetchUserEdit(
  { github }: PullContext,
  { head, userEdit }: NeedOf<'user-edit'>,
): Promise<NonNullable<Facts['userEdit']>> {
  const { path, base } = userEdit.change;
  const file = base === null ? null : await fetchFile(github, await github.fetchTree(head), path);
  const input = withBaseText(userEdit, file);
  return input === null ? USER_EDIT_FILE_CHANGED : applyUserEdit(input);
}

/** Fetches files by path. The result has no prototype, because a file can be named `constructor`. */
export async function fetchFiles(
  github: GitHub,
  tree: Tree,
  { paths, moves }: FilesToFetch,
): Promise<Record<string, FileAtHead | null>> {
  const files: Record<string, FileAtHead | null> = Object.create(null);
  for (const { from, to } of moves) {
    files[from] = tree.has(from) ? fileWithoutText(tree, from) : null;
    files[to] = fileWithoutText(tree, to, from);
  }
  for (const path of paths) files[path] = await fetchFile(github, tree, path);
  return files;
}

/**
 * Fetches a file of a tree with its text: null if there is no file; the text is null unless it is a plain text file.
 */
export async function fetchFile(github: GitHub, tree: Tree, path: string): Promise<FileAtHead | null> {
  const file = fileWithoutText(tree, path);
  if (file === null || !isPlainFileMode(file.mode)) return file;
  const decoded = decodeText(await github.fetchBlob(file.blob));
  return { ...file, text: decoded.kind === 'text' ? decoded.text : null };
}

/** Whether this is the mode of a plain file, and not of a link, directory or submodule. */
export function isPlainFileMode(mode: string): mode is FileMode {
  return mode === '100644' || mode === '100755';
}

/** Marks a path where no file can be created, because another file or directory is in the way. */
const PATH_BLOCKED: FileAtHead = { blob: '', mode: '', text: null };

/**
 * A file without its text, from the tree alone; null if there is none. `from` is the source of a file that is to be
 * moved to `path`.
 */
function fileWithoutText(tree: Tree, path: string, from: string = path): FileAtHead | null {
  const entry = tree.get(path);
  const isFree = entry === undefined && checkMoveTarget(path, from, { repo: '', tree }).kind === 'path';
  if (entry === undefined) return isFree ? null : PATH_BLOCKED;
  return { blob: entry.sha, mode: entry.mode, text: null };
}

/** Waits for both, also if one fails, so that no request outlives its attempt. */
export async function bothOrFail<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<readonly [One, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** The paths of a decision that need an owner's approval, and the people whose approvals could be one. */
type CodeOwnersQuery = { readonly paths: readonly string[]; readonly people: readonly Person[] };

/**
 * Reads who owns the paths on the default branch. Asks for members of teams only while a person is not known to own a
 * path, each team and person once.
 */
export async function fetchCodeOwners(context: PullContext, query: CodeOwnersQuery): Promise<CodeOwners> {
  const found = await readOwners(context, query.paths);
  const teams: Record<string, number[] | null> = Object.create(null);
  const doubts = createDoubts();
  for (const person of query.people)
    await askTeams(context.github, found, { person, paths: query.paths, teams, doubts });
  doubts.settle();
  return { ...found, teams: Object.fromEntries(Object.entries(teams)) };
}

/** Nobody owns anything without a plain file of a size that GitHub reads. */
async function readOwners({ github }: PullContext, paths: readonly string[]): Promise<CodeOwners> {
  const bytes = (await github.fetchCodeOwnersFile())?.bytes ?? 'missing';
  const isUsable = typeof bytes !== 'string' && bytes.byteLength <= MAX_CODEOWNERS_BYTES;
  return { owners: isUsable ? findOwners({ bytes, paths }) : {}, teams: {} };
}

type TeamQuestions = {
  readonly person: Person;
  readonly paths: readonly string[];
  /** The answers so far, by team in lower case. */
  readonly teams: Record<string, number[] | null>;
  readonly doubts: Doubts;
};

async function askTeams(
  github: GitHub,
  found: CodeOwners,
  { person, paths, teams, doubts }: TeamQuestions,
): Promise<void> {
  const asked = new Set<string>();
  for (const path of paths) {
    for (const owner of ownersOf(path, found)) {
      if (isOwner(person, path, { ...found, teams })) break;
      const team = owner.toLowerCase();
      if (!isTeam(team) || asked.has(team) || teams[team] === null) continue;
      asked.add(team);
      const membership = await doubts.ask(github.fetchTeamMembership(team, person.login));
      if (membership === 'unreadable') teams[team] = null;
      else teams[team] = [...(teams[team] ?? []), ...(membership === 'member' ? [person.id] : [])];
    }
  }
}
