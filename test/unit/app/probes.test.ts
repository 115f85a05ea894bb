import { describe, expect, it } from 'vitest';
import { createAppSetupProbe } from '../../../src/app/app-setup-probes.ts';
import { startProbes } from '../../../src/app/probes.ts';
import type { AppSetup } from '../../../src/core/step/app-rights.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../../src/core/step/app-rights.ts';
import { GitHubError } from '../../../src/core/step/ports.ts';

const MINUTE = 60_000;

const installation = (account: string) => ({
  ...{ account, url: `https://github.com/${account}`, isSuspended: false },
  ...{ permissions: { ...REGISTERED_PERMISSIONS, contents: 'read' }, events: REGISTERED_EVENTS.slice(1) },
});

const SETUP: AppSetup = {
  ...{ permissions: REGISTERED_PERMISSIONS, events: REGISTERED_EVENTS },
  ...{ settingsUrl: 'https://github.com/settings', installUrl: 'https://github.com/apps/x/installations/new' },
  installations: Array.from({ length: 25 }, (_, index) => installation(`team-${index}`)),
};

/** A check with a manual clock, and GitHub’s answers in order. */
function scene(...answers: readonly (AppSetup | Error)[]) {
  let now = 0;
  let ticking: (() => void) | null = null;
  let asked = 0;
  const lines: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const write = (fields: Readonly<Record<string, unknown>>, message: string) => void lines.push({ message, fields });
  const probe = createAppSetupProbe({
    fetchSetup: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? SETUP;
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ownerCheck: async () => () => true,
  });
  const check = startProbes([probe], {
    clock: {
      now: () => now,
      every: (_ms, tick) => {
        ticking = tick;
        return () => {
          ticking = null;
        };
      },
    },
    log: { info: write, warn: write },
  });
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    ticking?.();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return { check, pass, lines, asked: () => asked, ticks: () => ticking !== null };
}

describe('the probe of the App on GitHub', () => {
  it('checks at once and every hour, with one line for each lack and at most 20 accounts (O4)', async () => {
    const { pass, lines, asked } = scene(SETUP);
    await pass(0);
    expect(lines).toEqual([
      {
        message: 'installations lack a permission',
        fields: expect.objectContaining({ permission: 'contents: write', more: 5 }),
      },
      {
        message: 'installations lack an event',
        fields: expect.objectContaining({ event: 'issue_comment', more: 5 }),
      },
    ]);
    expect(lines[0]?.fields['accounts']).toHaveLength(20);
    await pass(59 * MINUTE);
    expect(asked()).toBe(1);
    await pass(MINUTE);
    expect(asked()).toBe(2);
  });

  it('an optional lack is said once until it changes, and a lack of what is needed each hour (O4)', async () => {
    const without = { ...REGISTERED_PERMISSIONS, checks: 'read' };
    const some = { ...SETUP, installations: [{ ...installation('acme'), events: REGISTERED_EVENTS }] };
    const { pass, lines } = scene({ ...some, permissions: without });
    for (let hour = 0; hour < 3; hour += 1) await pass(hour === 0 ? 0 : 60 * MINUTE);
    expect(lines.map(({ message }) => message)).toEqual([
      'installations lack a permission',
      'the App asks for less than it can use',
      'installations lack a permission',
      'installations lack a permission',
    ]);
    expect(lines[1]?.fields).toMatchObject({ lacks: ['checks: write'], fix: expect.stringContaining('works without') });
  });

  it('asks again five minutes after GitHub failed, or when GitHub wants it (O4)', async () => {
    const { pass, lines, asked } = scene(
      new GitHubError('away', 502, null),
      new GitHubError('slow down', 403, 65 * MINUTE),
      SETUP,
    );
    await pass(0);
    await pass(4 * MINUTE);
    expect(asked()).toBe(1);
    await pass(MINUTE);
    expect(asked()).toBe(2);
    await pass(59 * MINUTE);
    expect(asked()).toBe(2);
    await pass(MINUTE);
    expect(asked()).toBe(3);
    expect(lines.slice(0, 2).map(({ fields }) => fields)).toMatchObject([{ error: 'away' }, { error: 'slow down' }]);
  });

  it('a stop ends it, and nothing is logged after it (O4)', async () => {
    const { check, pass, lines, ticks } = scene(SETUP);
    await check.stop(0);
    await pass(0);
    expect(lines).toEqual([]);
    expect(ticks()).toBe(false);
    expect(check.isBusy()).toBe(false);
  });
});
