import { decodeText } from '../change/text.ts';
import type { Rules } from '../policy/branch-rules.ts';
import { checkTarget, type Tree } from '../policy/path.ts';
import { withCurrentNames } from '../run/current-names.ts';
import type { Facts, HeadFile, Need } from '../run/facts.ts';
import { needs } from '../run/needs.ts';
import type { Permission, Person } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import { readSettings } from '../settings/read-settings.ts';
import { isLasting } from './backoff.ts';
import type { Context } from './context.ts';
import type { GitHub } from './ports.ts';

/** Fetches facts until the signal can be decided. Throws `GitHubFault`: then nothing is decided. */
export async function gather(context: Context, stored: Pull, signal: Signal): Promise<Facts> {
  const pull = withCurrentNames(stored, signal);
  const github = context.githubs.for(pull.ref);
  let facts = baseFacts(context, pull);
  for (;;) {
    const [need] = needs(pull, signal, facts);
    if (need === undefined) return facts;
    facts = { ...facts, ...(await fetchFact(github, need, facts)) };
  }
}

/** What is known without asking anybody. */
export function baseFacts(context: Context, pull: Pull): Facts {
  const now = new Date(context.clock.now() + context.githubs.ahead()).toISOString();
  return { now, self: context.self, served: context.serves(pull.ref.owner) };
}

async function fetchFact(github: GitHub, need: Need, facts: Facts): Promise<Partial<Facts>> {
  switch (need.kind) {
    case 'permission':
      return { permission: await permissionOf(github, need) };
    case 'pull-request':
      return { pull: await github.pull() };
    case 'settings':
      return { settings: readSettings(await github.settingsFile()) };
    case 'rules':
      return { rules: await rulesOf(github, need) };
    case 'same-branch':
      return { sameBranch: await github.othersOn(need.headRef) };
    case 'changed-paths':
      return { changedPaths: (await github.files(facts.pull?.headSha ?? '')).map((file) => file.path) };
    case 'review-comments':
      return { reviewComments: await github.reviewComments(need.reviewId) };
    case 'comments':
      return { bodyHashes: await github.bodyHashes(need.comments) };
    case 'undone':
      return { undone: await undoneAt(github, need) };
    case 'files':
      return { files: await filesAt(github, need) };
  }
}

/** Approvals are counted only where a commit would dismiss them. */
async function rulesOf(github: GitHub, { headRef, baseRef }: Extract<Need, { kind: 'rules' }>): Promise<Rules> {
  const head = headRef === null ? [] : await github.rules(headRef);
  const base = await github.rules(baseRef);
  const counts = headRef !== null && base.some((rule) => rule.dismissesReviews);
  return { head, base, approvals: counts ? await github.approvals() : 0 };
}

/** A login that now belongs to another account is nobody's permission. */
export async function permissionOf(github: GitHub, person: Person): Promise<Permission> {
  const { permission, userId } = await github.permission(person.login);
  return userId === null || userId === person.id ? permission : 'none';
}

async function filesAt(github: GitHub, need: Extract<Need, { kind: 'files' }>): Promise<NonNullable<Facts['files']>> {
  const [base, head] = [await github.tree(need.base), await github.tree(need.head)];
  return { atBase: await readAll(github, base, need), atHead: await readAll(github, head, need) };
}

type Undone = NonNullable<Facts['undone']>;

async function undoneAt(github: GitHub, need: Extract<Need, { kind: 'undone' }>): Promise<Undone> {
  const { commit, head, path, from } = need;
  const tree = await github.tree(head);
  if (from !== null)
    return {
      atCommit: null,
      atHead: tree.has(path) ? withoutText(tree, path) : null,
      fromAtHead: withoutText(tree, from, path),
    };
  const atHead = await readFile(github, tree, path);
  return { atCommit: await fileOfCommit(github, commit, path), atHead, fromAtHead: null };
}

/** A commit that was pushed away is kept by GitHub for a while, and then it is gone. */
async function fileOfCommit(github: GitHub, commit: string | null, path: string): Promise<Undone['atCommit']> {
  if (commit === null) return null;
  try {
    return await readFile(github, await github.tree(commit), path);
  } catch (error) {
    if (!isLasting(error)) throw error;
    return 'gone';
  }
}

type Wanted = Pick<Extract<Need, { kind: 'files' }>, 'paths' | 'moves'>;

/** Files by path, in an object without a prototype: any name may be one of a file. */
export async function readAll(
  github: GitHub,
  tree: Tree,
  { paths, moves }: Wanted,
): Promise<Record<string, HeadFile | null>> {
  const files: Record<string, HeadFile | null> = Object.create(null);
  for (const { from, to } of moves) {
    files[from] = tree.has(from) ? withoutText(tree, from) : null;
    files[to] = withoutText(tree, to, from);
  }
  for (const path of paths) files[path] = await readFile(github, tree, path);
  return files;
}

/** Where a file may not be made: something else has taken its place, or one of its directories'. */
const NOTHING_FITS: HeadFile = { blob: '', mode: '', text: null };

/**
 * Whether a new file of this name, or one that is moved there, fits the tree as it is now: no file, link or twin in its
 * way.
 */
function mayStandIn(tree: Tree, path: string, from: string): boolean {
  return checkTarget(path, from, { repo: '', tree }).kind === 'path';
}

/** A path of a commit's tree with its text; null where there is nothing, no text where it is no plain file. */
export async function readFile(github: GitHub, tree: Tree, path: string): Promise<HeadFile | null> {
  const file = withoutText(tree, path);
  if (file === null || (file.mode !== '100644' && file.mode !== '100755')) return file;
  const decoded = decodeText(await github.blob(file.blob));
  return { ...file, text: decoded.kind === 'text' ? decoded.text : null };
}

/** The same without looking into the file. `from` is where a file comes from that is to be moved here. */
function withoutText(tree: Tree, path: string, from: string = path): HeadFile | null {
  const entry = tree.get(path);
  if (entry === undefined) return mayStandIn(tree, path, from) ? null : NOTHING_FITS;
  return { blob: entry.sha, mode: entry.mode, text: null };
}
