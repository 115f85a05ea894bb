import type { CommitPlan, FileContent } from '../../policy/countersigned.ts';
import { readBlob } from '../../simulator/git/blob.ts';
import { createCommitOnBranch } from '../../simulator/world/commit-on-branch.ts';
import type { OnPull } from '../../simulator/world/inputs.ts';
import type { CommitOutcome } from '../../worker/ports.ts';
import type { Hub } from '../hub.ts';

/** GraphQL's commit: on the expected head, or not at all. */
export function commit(hub: Hub, { actor, repositoryId }: OnPull, plan: CommitPlan): CommitOutcome {
  const end = plan.message.indexOf('\n');
  const outcome = hub.apply(createCommitOnBranch, {
    actor,
    repositoryId,
    branch: plan.branch,
    expectedHeadOid: plan.expectedHead,
    headline: end === -1 ? plan.message : plan.message.slice(0, end),
    body: end === -1 ? '' : plan.message.slice(end + 1).replace(/^\n+/, ''),
    additions: plan.files.flatMap(({ path, content }) => {
      const bytes = bytesOf(hub, content);
      return bytes === null ? [] : [{ path, bytes }];
    }),
    deletions: plan.files.flatMap(({ path, content }) => (content.kind === 'gone' ? [path] : [])),
  });
  if (outcome.ok) return { kind: 'committed', sha: outcome.value };
  const { type, message } = outcome.error;
  if (type === 'STALE_DATA') return { kind: 'head-moved' };
  return { kind: 'refused', message, byRule: /rule/i.test(message) };
}

/** Null where the file goes. A moved file's bytes are those of its blob, so that they make the same blob again. */
function bytesOf(hub: Hub, content: FileContent): Uint8Array | null {
  switch (content.kind) {
    case 'bytes':
      return content.bytes;
    case 'blob':
      return readBlob(hub.world.store, content.sha) ?? null;
    case 'gone':
      return null;
  }
}
