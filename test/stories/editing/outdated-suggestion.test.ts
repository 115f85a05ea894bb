import { describe, expect, it } from 'vitest';
import { OUTDATED_CHECK_DELAY_MS } from '../../../src/core/step/effects.ts';
import { suggestionIn } from '../../unit/core/messages/suggestion-in.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit } from '../support/story.ts';

const stage = stageForAll();

const LONG = Array.from({ length: 40 }, (_, at) => `line ${at + 1};\n`).join('');

describe('a suggestion whose lines a commit removes from the pull request’s diff', () => {
  it('becomes a diff, says why, and can still be approved; a suggestion with lines still in the diff stays (S50, S72)', async () => {
    const { ana, ben, bot, model, pr } = await stage().tell({
      files: { 'long.ts': LONG },
      branch: { 'long.ts': `// top\n${LONG}// end\n` },
    });
    const top = edit('long.ts', '// top\n', '');
    model.proposes(top, edit('long.ts', 'line 2;', 'row 2;'), edit('long.ts', 'line 39;', 'row 39;'));
    await ana.says('/countersign change all');
    expect(bot.proposals().map(({ body }) => suggestionIn(body).kind)).toEqual(['one', 'one', 'one']);
    await ben.replies(bot.proposal(1), '/approve');
    await stage().later(OUTDATED_CHECK_DELAY_MS / 1000 + 1);
    const [, first, second] = bot.proposals();
    expect(suggestionIn(first?.body ?? '').kind).toBe('none');
    expect(first?.body).toContain('-line 2;\n+row 2;\n');
    expect(first?.body).toContain('because a push has made this thread outdated');
    expect(first?.body).not.toContain('Commit suggestion');
    expect(suggestionIn(second?.body ?? '').kind).toBe('one');
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.file('long.ts')).toContain('row 2;');
  });
});
