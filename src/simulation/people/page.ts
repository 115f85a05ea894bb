import { ownComments } from '../github/own-words.ts';
import type { Standing } from '../github/reading.ts';

/** One of the App's proposals as people find it on the page. */
export type SeenProposal = {
  readonly id: string;
  readonly commentId: number;
  readonly inThread: boolean;
  /** It can still be decided, as far as its comment says. */
  readonly open: boolean;
  readonly hasButton: boolean;
  readonly threadNodeId: string | null;
  readonly resolved: boolean;
};

const MARKER = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

/** Only open comments have this sentence. */
export const OPEN_SENTENCE = 'Nothing is changed until somebody decides';

export function seenProposals(standing: Standing, botId: number): readonly SeenProposal[] {
  return ownComments(standing, { botId }).flatMap(({ kind, id: commentId, body }) => {
    const id = MARKER.exec(body)?.[1];
    if (id === undefined) return [];
    const thread = kind === 'issue-comment' ? undefined : standing.pull.threads.get(commentId);
    return [
      {
        ...{ id, commentId, inThread: kind !== 'issue-comment', open: body.includes(OPEN_SENTENCE) },
        hasButton: body.includes('```suggestion'),
        threadNodeId: thread?.nodeId ?? null,
        resolved: (thread?.resolvedById ?? null) !== null,
      },
    ];
  });
}
