import { createHash } from 'node:crypto';
import { z } from 'zod';
import { blobSha } from '../../core/edits/text/characters.ts';
import {
  type CommitPlan,
  type CommitResult,
  type FileContent,
  type FileWrite,
  GitHubError,
  type Tree,
  type TreeEntry,
} from '../../core/step/ports.ts';
import type { Countersigned } from '../../lib/trust.ts';
import { keepPull, PULL, PullRepository } from './pull-request.ts';
import {
  askGraphql,
  cacheKey,
  type PullConnection,
  repositoryParams,
  SMALL_PAGE_SIZES,
} from './requests/connection.ts';
import { explainRefusal, GitHubRequestError, hasErrorType, nullIfGone } from './requests/errors.ts';

/**
 * Creates the commit if `expectedHead` is still the head of the branch. GraphQL does this in one atomic call, but only
 * for files of mode 100644; other plans use git objects. Throws a `GitHubError` if it is unknown whether the commit
 * exists.
 */
export async function createCommit(connection: PullConnection, plan: Countersigned<CommitPlan>): Promise<CommitResult> {
  const isPlain = plan.files.every(isPlainWrite);
  try {
    return await (isPlain ? commitWithGraphql(connection, plan) : commitWithGitObjects(connection, plan));
  } catch (error) {
    return resultOfError(error);
  }
}

/** What an error says about a commit. Throws it where that is unknown. */
export function resultOfError(error: unknown): CommitResult {
  if (!(error instanceof GitHubRequestError)) throw error;
  const { meaning } = error;
  if (meaning === 'try-again') throw error;
  if (meaning === 'branch-moved') return { kind: 'head-moved' };
  return { kind: 'refused', message: explainRefusal(error), byRule: meaning === 'refused-by-rule' };
}

function isPlainWrite({ content, mode }: FileWrite): boolean {
  return content.kind === 'deleted' || (content.kind === 'bytes' && mode === '100644');
}

/** A merge can have overtaken the commit, so the answer tells the pull request behind it. */
const COMMIT_MUTATION = `mutation commit($input: CreateCommitOnBranchInput!, $number: Int!, $size: Int!) {
  createCommitOnBranch(input: $input) { commit { oid tree { oid } repository { ...pull } } }
}
${PULL}`;

const CreatedCommit = z.object({
  oid: z.string(),
  tree: z.object({ oid: z.string() }),
  // The commit exists, also where the rest of the answer is missing.
  repository: PullRepository.nullable().catch(null),
});

type CreatedCommit = z.infer<typeof CreatedCommit>;

const CommitResponse = z.object({ createCommitOnBranch: z.object({ commit: CreatedCommit }) });

/**
 * If GitHub does not find the repository, it might have been renamed: then the call is repeated with its current name.
 */
async function commitWithGraphql(connection: PullConnection, plan: Countersigned<CommitPlan>): Promise<CommitResult> {
  const { owner, repo } = connection.ref;
  const storedName = `${owner}/${repo}`;
  try {
    return await commitInRepository(connection, storedName, plan);
  } catch (error) {
    if (!isRepositoryNotFound(error)) throw error;
    const repository = await fetchRepository(connection);
    if (repository === null || repository.fullName === storedName) throw error;
    return commitInRepository(connection, repository.fullName, plan);
  }
}

function isRepositoryNotFound(error: unknown): boolean {
  return hasErrorType(error, 'NOT_FOUND') && /\brepository\b/i.test(error.failure.detail);
}

async function commitInRepository(
  connection: PullConnection,
  repositoryNameWithOwner: string,
  plan: CommitPlan,
): Promise<CommitResult> {
  const input = {
    branch: { repositoryNameWithOwner, branchName: plan.branch },
    expectedHeadOid: plan.expectedHead,
    message: splitMessage(plan.message),
    fileChanges: fileChanges(plan),
  };
  const variables = { input, number: connection.ref.number, size: SMALL_PAGE_SIZES[0] };
  const sentAt = connection.now();
  const { createCommitOnBranch } = await askGraphql(connection.write, COMMIT_MUTATION, variables, CommitResponse);
  const { commit } = createCommitOnBranch;
  rememberTree(connection, plan, commit);
  const pull = commit.repository === null ? null : keepPull(connection, commit.repository, sentAt, commit.oid);
  return { kind: 'committed', sha: commit.oid, ...(pull?.state === 'open' ? { isPullOpen: true } : {}) };
}

/** Where GitHub's answer has the SHA of the planned tree, this tree and its files are the commit's, and need no reading. */
function rememberTree({ ref, caches }: PullConnection, plan: CommitPlan, { oid, tree }: CreatedCommit): void {
  const before = caches.trees.get(cacheKey(ref, plan.expectedHead));
  const planned = before === undefined ? null : treeAfter(before, plan.files);
  if (planned?.sha !== tree.oid) return;
  caches.trees.set(cacheKey(ref, oid), planned.tree);
  for (const { content } of plan.files)
    if (content.kind === 'bytes') caches.blobs.set(cacheKey(ref, blobSha(content.bytes)), content.bytes);
}

/** GitHub joins both parts with a blank line. */
function splitMessage(message: string): { readonly headline: string; readonly body: string } {
  const end = message.indexOf('\n');
  if (end === -1) return { headline: message, body: '' };
  return { headline: message.slice(0, end), body: message.slice(end + 1).replace(/^\n+/, '') };
}

function fileChanges({ files }: CommitPlan) {
  return {
    additions: files.flatMap(({ path, content }) =>
      content.kind === 'bytes' ? [{ path, contents: Buffer.from(content.bytes).toString('base64') }] : [],
    ),
    deletions: files.flatMap(({ path, content }) => (content.kind === 'deleted' ? [{ path }] : [])),
  };
}

/** Keeps file modes. Nothing is visible before the last call. The commit names no author, so that GitHub signs it. */
async function commitWithGitObjects(
  connection: PullConnection,
  plan: Countersigned<CommitPlan>,
): Promise<CommitResult> {
  const tree = await createTree(connection, plan);
  const sha = await createCommitObject(connection, plan, tree);
  return moveBranch(connection, plan, sha);
}

const MOVE_MUTATION = `mutation moveBranch($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}`;

const MoveResponse = z.object({ updateRefs: z.object({}) });

/**
 * Moves the branch from the expected head only. REST can merely ask for a fast-forward, which also succeeds from an
 * older head: commits that a forced push dropped would come back.
 */
async function moveBranch(
  connection: PullConnection,
  { branch, expectedHead: beforeOid }: CommitPlan,
  afterOid: string,
): Promise<CommitResult> {
  const repository = await fetchRepository(connection);
  if (repository === null) throw new GitHubError('GitHub does not find the repository of a commit', 404, null);
  const refUpdates = [{ name: `refs/heads/${branch}`, beforeOid, afterOid, force: false }];
  const input = { repositoryId: repository.nodeId, refUpdates };
  try {
    await askGraphql(connection.write, MOVE_MUTATION, { input }, MoveResponse);
    return { kind: 'committed', sha: afterOid };
  } catch (error) {
    // GitHub names no error for another head, so the branch tells.
    if (!isAnswer(error)) throw error;
    const head = await fetchHead(connection, branch);
    if (head === beforeOid) throw error;
    return head === afterOid ? { kind: 'committed', sha: afterOid } : { kind: 'head-moved' };
  }
}

/** Whether GitHub answered a GraphQL call with errors. */
function isAnswer(error: unknown): boolean {
  return error instanceof GitHubRequestError && error.failure.types !== undefined && error.retryAt === null;
}

/** Null if the repository is not accessible, or if another repository has its name now. */
async function fetchRepository({
  ref,
  read,
}: PullConnection): Promise<{ readonly fullName: string; readonly nodeId: string } | null> {
  const found = await nullIfGone(read.rest.repos.get(repositoryParams(ref)));
  if (found?.data.id !== ref.repositoryId) return null;
  return { fullName: found.data.full_name, nodeId: found.data.node_id };
}

type TreeItem = {
  readonly path: string;
  readonly mode: FileWrite['mode'];
  readonly type: 'blob';
  readonly sha: string | null;
};

async function createTree(connection: PullConnection, plan: CommitPlan): Promise<string> {
  const tree: TreeItem[] = [];
  for (const { path, mode, content } of plan.files) {
    tree.push({ path, mode, type: 'blob', sha: await ensureBlob(connection, content) });
  }
  const baseTree = await fetchTreeSha(connection, plan.expectedHead);
  const params = { ...repositoryParams(connection.ref), base_tree: baseTree, tree };
  const { data } = await connection.write.rest.git.createTree(params);
  return data.sha;
}

/** The SHA of the content's blob; null for a deleted file. */
async function ensureBlob(connection: PullConnection, content: FileContent): Promise<string | null> {
  switch (content.kind) {
    case 'bytes':
      return createBlob(connection, content.bytes);
    case 'blob':
      return content.sha;
    case 'deleted':
      return null;
  }
}

/** Sends Base64, because the encoding `utf-8` loses carriage returns. */
async function createBlob({ ref, write }: PullConnection, bytes: Uint8Array): Promise<string> {
  const content = Buffer.from(bytes).toString('base64');
  const { data } = await write.rest.git.createBlob({ ...repositoryParams(ref), content, encoding: 'base64' });
  return data.sha;
}

async function createCommitObject({ ref, write }: PullConnection, plan: CommitPlan, tree: string): Promise<string> {
  const { message, expectedHead } = plan;
  const params = { ...repositoryParams(ref), message, tree, parents: [expectedHead] };
  const { data } = await write.rest.git.createCommit(params);
  return data.sha;
}

async function fetchTreeSha({ ref, read }: PullConnection, commit: string): Promise<string> {
  const { data } = await read.rest.git.getCommit({ ...repositoryParams(ref), commit_sha: commit });
  return data.tree.sha;
}

async function fetchHead({ ref, read }: PullConnection, branch: string): Promise<string> {
  const { data } = await read.rest.git.getRef({ ...repositoryParams(ref), ref: `heads/${branch}` });
  return data.object.sha;
}

/**
 * The tree that git has after these writes, with its SHA. The SHA covers every name, mode and byte, so that the same one
 * from GitHub proves the whole tree.
 */
export function treeAfter(before: Tree, writes: readonly FileWrite[]): { readonly sha: string; readonly tree: Tree } {
  const tree = new Map(before);
  const changed = [...new Set(writes.flatMap(({ path }) => directoriesAbove(path)))];
  for (const directory of changed) tree.delete(directory);
  for (const write of writes) {
    const entry = writtenEntry(write, before);
    if (entry === null) tree.delete(write.path);
    else tree.set(write.path, entry);
  }
  const inside = new Map<string, [string, TreeEntry][]>(changed.map((directory) => [directory, []]));
  for (const [path, entry] of tree) inside.get(parentOf(path))?.push([path, entry]);
  // Longest first: a directory comes before the one above it, which needs its SHA.
  for (const directory of changed.toSorted((left, right) => right.length - left.length)) {
    const entries = inside.get(directory) ?? [];
    if (directory === '') return { sha: directorySha(entries), tree };
    if (entries.length === 0) continue;
    const entry = { mode: DIRECTORY, sha: directorySha(entries), size: null };
    tree.set(directory, entry);
    inside.get(parentOf(directory))?.push([directory, entry]);
  }
  throw new Error('A commit without writes has no tree of its own');
}

const DIRECTORY = '040000';

/** The directories that a path is in, up to the root, whose name is empty. */
function directoriesAbove(path: string): readonly string[] {
  const parent = parentOf(path);
  return parent === '' ? [''] : [parent, ...directoriesAbove(parent)];
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Null for a deleted file. */
function writtenEntry({ mode, content }: FileWrite, before: Tree): TreeEntry | null {
  switch (content.kind) {
    case 'bytes':
      return { mode, sha: blobSha(content.bytes), size: content.bytes.length };
    case 'blob':
      return {
        mode,
        sha: content.sha,
        size: [...before.values()].find(({ sha }) => sha === content.sha)?.size ?? null,
      };
    case 'deleted':
      return null;
  }
}

/** The SHA of git's object for a directory. Its entries stand in the order of their bytes, a directory as `name/`. */
function directorySha(entries: readonly (readonly [string, TreeEntry])[]): string {
  const named = entries.map(([path, { mode, sha }]) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const order = Buffer.from(mode === DIRECTORY ? `${name}/` : name);
    return {
      order,
      bytes: Buffer.concat([Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`), Buffer.from(sha, 'hex')]),
    };
  });
  const bytes = Buffer.concat(named.toSorted((left, right) => left.order.compare(right.order)).map((one) => one.bytes));
  return createHash('sha1').update(`tree ${bytes.length}\0`).update(bytes).digest('hex');
}
