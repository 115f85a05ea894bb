import type { CommitPlan, Countersigned, FileContent, FileWrite } from '../policy/countersigned.ts';
import type { CommitOutcome } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';

type TreeItem = {
  readonly path: string;
  readonly mode: FileWrite['mode'];
  readonly type: 'blob';
  readonly sha: string | null;
};

/**
 * A commit from git's own objects, which keeps modes. Blobs go as base64 (text loses CR), the tree names changed
 * files only, and nobody is named as author, which keeps GitHub's signature. Nothing is visible before the last call.
 */
export async function commitByGitData(connection: Connection, plan: Countersigned<CommitPlan>): Promise<CommitOutcome> {
  const tree = await createTree(connection, plan);
  const sha = await createCommitObject(connection, plan, tree);
  // Forwarding the ref alone would also pass from an older head (after a forced push back) and revive what was dropped.
  if ((await fetchHead(connection, plan.branch)) !== plan.expectedHead) return { kind: 'head-moved' };
  await connection.write((client) =>
    client.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
      ...repositoryOf(connection.ref),
      ref: `heads/${plan.branch}`,
      sha,
      force: false,
    }),
  );
  return { kind: 'committed', sha };
}

async function createTree(connection: Connection, plan: CommitPlan): Promise<string> {
  const items: TreeItem[] = [];
  for (const { path, mode, content } of plan.files) {
    items.push({ path, mode, type: 'blob', sha: await blobOf(connection, content) });
  }
  const baseTree = await fetchTreeSha(connection, plan.expectedHead);
  const { data } = await connection.write((client) =>
    client.request('POST /repos/{owner}/{repo}/git/trees', {
      ...repositoryOf(connection.ref),
      base_tree: baseTree,
      tree: items,
    }),
  );
  return data.sha;
}

async function blobOf(connection: Connection, content: FileContent): Promise<string | null> {
  switch (content.kind) {
    case 'bytes':
      return createBlob(connection, content.bytes);
    case 'blob':
      return content.sha;
    case 'gone':
      return null;
  }
}

async function createBlob({ ref, write }: Connection, bytes: Uint8Array): Promise<string> {
  const { data } = await write((client) =>
    client.request('POST /repos/{owner}/{repo}/git/blobs', {
      ...repositoryOf(ref),
      content: Buffer.from(bytes).toString('base64'),
      encoding: 'base64',
    }),
  );
  return data.sha;
}

async function createCommitObject({ ref, write }: Connection, plan: CommitPlan, tree: string): Promise<string> {
  const { data } = await write((client) =>
    client.request('POST /repos/{owner}/{repo}/git/commits', {
      ...repositoryOf(ref),
      message: plan.message,
      tree,
      parents: [plan.expectedHead],
    }),
  );
  return data.sha;
}

async function fetchTreeSha({ ref, read }: Connection, commit: string): Promise<string> {
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { ...repositoryOf(ref), commit_sha: commit }),
  );
  return data.tree.sha;
}

async function fetchHead({ ref, read }: Connection, branch: string): Promise<string> {
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repositoryOf(ref), ref: `heads/${branch}` }),
  );
  return data.object.sha;
}
