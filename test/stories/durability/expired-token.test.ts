import { describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import { read, type Story } from '../support/story.ts';

const stage = stageForAll();

/** A task, a file read, a change, an approval and the model's final response. */
async function conversation({ ana, bot, model }: Story): Promise<void> {
  model.proposes(read('README.md'));
  model.proposes(editRow(5, 50));
  await ana.says('/countersign give the row another value');
  await ana.replies(bot.proposal(1), '/approve');
}

function voidAllTokens(): void {
  const { serverState, replaceServerState } = stage().github.apiServer;
  replaceServerState({ ...serverState(), tokens: new Map() });
}

/** Whether a call was refused and has not been sent again yet. */
function isRetryOutstanding(calls: readonly { readonly name: string; readonly status: number | null }[]): boolean {
  return [...new Map(calls.map(({ name, status }) => [name, status])).values()].includes(401);
}

describe('a token that expires early', () => {
  it('is replaced at any call; even with a failure at every call everything is done once (I9)', async () => {
    const story = await tellRows(stage());
    const before = stage().github.requests.length;
    const times = new Map<string, number>();
    // Each kind of call alternates between an expired and a valid token. A call that is sent again finds a valid one.
    const expireToken = (name: string): void => {
      if (isRetryOutstanding(stage().github.requests.slice(before))) return;
      const time = times.get(name) ?? 0;
      times.set(name, time + 1);
      if (time % 2 === 0) voidAllTokens();
    };
    await beforeCalls(stage(), expireToken, () => conversation(story));
    const calls = stage().github.requests.slice(before);
    const refused = new Set(calls.filter(({ status }) => status === 401).map(({ name }) => name));
    const asApp = 'POST /app/installations/{installation_id}/access_tokens';
    expect([...times.keys()].filter((name) => !refused.has(name))).toEqual([asApp]);
    expect(refused.size).toBeGreaterThan(10);
    const { pr, bot, model } = story;
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect([pr.commits().length, bot.proposals().length, bot.reviews().length]).toEqual([1, 1, 1]);
    expect(bot.comments()).toHaveLength(3);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(model.requests()).toHaveLength(3);
  });
});
