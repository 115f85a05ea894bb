import { describe, expect, it } from 'vitest';
import { partMarker, proposalMarker } from '../../../../src/core/messages/shared/markdown.ts';
import { findPostedComments } from '../../../../src/worker/effects/proposal-comments.ts';
import { type Offload, offloadInline } from '../../../../src/worker/offload/offload.ts';
import { proposal, write } from '../../core/messages/sample.ts';

describe('findPostedComments', () => {
  it('offloads counting the parts of a long diff, which takes a tenth of a second (H6)', async () => {
    const one = proposal(write('docs/long.md', null, `${'\u{202E}\u{202D}ab'.repeat(10)}\n`.repeat(2_000)));
    const elsewhere: string[] = [];
    const offload: Offload = async (name, input) => {
      elsewhere.push(name);
      return offloadInline(name, input);
    };
    const searches: string[] = [];
    const github = {
      findCommentsByMarker: async (markers: readonly string[]) => {
        searches.push(...markers);
        return new Map();
      },
    };
    await findPostedComments({ github, offload }, [one], null);
    expect(elsewhere).toEqual(['countParts']);
    expect(searches.length).toBeGreaterThan(5);
    const parts = searches.length;
    expect(searches).toEqual([
      proposalMarker(one.id),
      ...Array.from({ length: parts - 1 }, (_, index) => partMarker(one.id, index + 2, parts)),
    ]);
  });
});
