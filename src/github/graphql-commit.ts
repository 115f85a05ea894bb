import { z } from 'zod';
import type { CommitPlan, Countersigned } from '../policy/countersigned.ts';
import { type CommitOutcome, GitHubFault } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';
import { RequestFault } from './faults.ts';

const COMMIT = `mutation commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const Committed = z.object({ createCommitOnBranch: z.object({ commit: z.object({ oid: z.string() }) }) });

/**
 * One call that GitHub applies whole or not at all; the commit is the App's and verified. Where it finds no repository
 * of that name, and with that has done nothing, it is asked again by the name that the repository has now, if it has another.
 */
export async function commitOnBranch(connection: Connection, plan: Countersigned<CommitPlan>): Promise<CommitOutcome> {
  const { owner, repo } = connection.ref;
  const known = `${owner}/${repo}`;
  try {
    return await commitIn(connection, known, plan);
  } catch (error) {
    if (!saysNoRepository(error)) throw error;
    const name = await nameNow(connection);
    if (name === null || name === known) throw error;
    return commitIn(connection, name, plan);
  }
}

function saysNoRepository(error: unknown): boolean {
  return error instanceof RequestFault && error.codes.includes('NOT_FOUND') && /\brepository\b/i.test(error.words);
}

/** Null where GitHub shows none, or another one that got the name since. */
async function nameNow({ ref, read }: Connection): Promise<string | null> {
  try {
    const { data } = await read((client) => client.request('GET /repos/{owner}/{repo}', repositoryOf(ref)));
    return data.id === ref.repositoryId ? data.full_name : null;
  } catch (error) {
    if (error instanceof RequestFault && error.status === 404) return null;
    throw error;
  }
}

async function commitIn({ write }: Connection, name: string, plan: CommitPlan): Promise<CommitOutcome> {
  const answer: unknown = await write((client) =>
    client.graphql(COMMIT, {
      input: {
        branch: { repositoryNameWithOwner: name, branchName: plan.branch },
        expectedHeadOid: plan.expectedHead,
        message: splitMessage(plan.message),
        fileChanges: fileChanges(plan),
      },
    }),
  );
  const committed = Committed.safeParse(answer);
  if (!committed.success) throw new GitHubFault('GitHub answered a commit in an unknown form', null, null);
  return { kind: 'committed', sha: committed.data.createCommitOnBranch.commit.oid };
}

/** GitHub puts the blank line between both back. */
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
    deletions: files.flatMap(({ path, content }) => (content.kind === 'gone' ? [{ path }] : [])),
  };
}
