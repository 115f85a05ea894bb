import { describe, expect, it } from 'vitest';
import { withShiftedTimes } from '../../../fakes/github/faults.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, propose } from '../support/proposals.ts';

const stage = stageForAll();

describe('webhooks whose times differ from those of REST', () => {
  it.each([-4, 4])(
    'R8: by %i seconds: an approval in a thread counts, and one of a review for all that its comments leave open',
    async (s) => {
      const { ana, ben, carl, bot, pr } = await propose(stage(), BIGINT, EXACTLY);
      stage().github.deliveries.alter((event) => withShiftedTimes(event, s));
      try {
        await ana.replies(bot.proposal(1), '/approve');
        expect(pr.file('src/total.ts')).toContain('0n');
        stage().pass(60);
        const replies = [{ inReplyTo: bot.proposal(2).id, body: `@${carl.login} this one?` }];
        await ben.does((person) => person.reviews({ event: 'COMMENT', body: '/approve all', replies }));
        expect(pr.file('README.md')).toContain('exactly');
      } finally {
        stage().github.deliveries.alter(undefined);
      }
    },
  );
});
