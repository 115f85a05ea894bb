import { z } from 'zod';
import type { CommitPlan, Countersigned } from '../policy/countersigned.ts';
import { type CommitOutcome, GitHubFault } from '../worker/ports.ts';
import type { Connection } from './connection.ts';

const COMMIT = `mutation commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const Committed = z.object({ createCommitOnBranch: z.object({ commit: z.object({ oid: z.string() }) }) });

/** One call that GitHub applies whole or not at all; the commit is the App's and verified. */
export async function commitOnBranch(
  { ref, write }: Connection,
  plan: Countersigned<CommitPlan>,
): Promise<CommitOutcome> {
  const answer: unknown = await write((client) =>
    client.graphql(COMMIT, {
      input: {
        branch: { repositoryNameWithOwner: `${ref.owner}/${ref.repo}`, branchName: plan.branch },
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
