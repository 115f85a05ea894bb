import { describe, expect, it } from 'vitest';
import { MAX_REPORTED_ERRORS } from '../../../src/adapters/store/store.ts';
import { editedIntoCommand } from '../../../src/core/messages/replies.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/state/settings.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { delivery, pullOf, step } from './samples.ts';
import { LEASE, nextEffect, nextSignal, present, type StoreHarness } from './store-under-test.ts';

const AWAY = { now: 20, error: 'GitHub was away', failure: 'other' } as const;

/** No reply, and no signal for the pull request. */
const NO_FOLLOW_UP = { reply: null, signal: null } as const;

const UNKNOWN = { id: 'f1', errorText: 'unknown schema' } as const;

const REPLY: Effect = { type: 'reply', to: { at: 'pull-request' }, reply: editedIntoCommand(), onceKey: null };

/** Deliveries are stored once and handled in order. */
export function inboxContract({ store, rows, receiveAndClaim, claimSignal }: StoreHarness): void {
  describe('inbox', () => {
    it('stores a delivery id once (F4, S80)', async () => {
      expect(await store().receive(delivery('a'), 1)).toBe('stored');
      expect(await store().receive(delivery('a'), 2)).toBe('duplicate');
      expect(await rows('inbox')).toHaveLength(1);
    });

    it('stores the same comment once under two delivery ids (F5, S80)', async () => {
      expect(await store().receive(delivery('a', 1, 'issue-comment:5'), 1)).toBe('stored');
      expect(await store().receive(delivery('b', 1, 'issue-comment:5'), 2)).toBe('duplicate');
      expect(await store().receive(delivery('c', 1, 'issue-comment:6'), 2)).toBe('stored');
    });

    it('recognizes a delivery handled long ago as a duplicate (F20)', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      expect(await store().receive(delivery('a'), 90 * 86_400_000)).toBe('duplicate');
      expect(await nextSignal(store(), claim, 90 * 86_400_000)).toBeNull();
    });

    it('rehearses a delivery without keeping anything (O17)', async () => {
      await store().rehearseReceive(1);
      await store().receive(delivery('a'), 2);
      await store().rehearseReceive(3);
      expect([await rows('inbox'), await rows('pulls')]).toMatchObject([[{ deliveryId: 'a' }], [{}]]);
      expect(await store().nextDue()).toBe(2);
    });

    it('stores each of many concurrent deliveries once', async () => {
      const calls = Array.from({ length: 60 }, (_, index) =>
        Promise.all([
          store().receive(delivery(`d${index}`, index % 7), 1),
          store().receive(delivery(`d${Math.floor(index / 2)}`), 1),
        ]),
      );
      const receipts = (await Promise.all(calls)).flat();
      expect(receipts.filter((receipt) => receipt === 'stored')).toHaveLength(60);
      expect(await rows('inbox')).toHaveLength(60);
    });

    it('returns effect results before webhooks, each in order of arrival (S86)', async () => {
      const { claim, signal } = await claimSignal('a');
      const effects = [1, 2].map((turn) => ({ type: 'ask-model', runId: 'r', turn }) as const);
      await store().save(claim, signal, step(pullOf(1), { effects }), 20);
      for (const id of ['b', 'c']) await store().receive(delivery(id), 20);
      for (const turn of [1, 2]) {
        const effect = present(await store().claimEffect(20, LEASE));
        await store().finishEffect(effect, { type: 'model-failed', runId: 'r', turn, failure: null, message: '' }, 30);
      }
      const handled: unknown[] = [];
      for (
        let next = await nextSignal(store(), claim, 30);
        next !== null;
        next = await nextSignal(store(), claim, 30)
      ) {
        handled.push('turn' in next.signal ? next.signal.turn : Object(next.signal)['deliveryId']);
        await store().save(claim, next, step(pullOf(1)), 30);
      }
      expect(handled).toEqual([1, 2, 'b', 'c']);
    });

    it('holds back later comments after a failed one, but no results (S86)', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().receive(delivery('b'), 20);
      expect(await store().nextCommentAt(claim, 30)).toBe(30);
      await store().postponeSignal(claim, signal, 500, AWAY);
      expect(await store().nextCommentAt(claim, 30)).toBe(500);
      expect(await nextSignal(store(), claim, 30)).toBeNull();
      expect(await store().claimPull(30, LEASE)).toBeNull();
      expect(await store().nextDue()).toBe(500);
      const later = present(await store().claimPull(500, LEASE));
      expect(present(await nextSignal(store(), later, 500)).id).toBe(signal.id);
    });

    it('keeps a postponed signal until its time, and counts only errors as attempts', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().postponeSignal(claim, signal, 50, null);
      expect(await nextSignal(store(), claim, 49)).toBeNull();
      const later = present(await store().claimPull(50, LEASE));
      const again = present(await nextSignal(store(), later, 50));
      expect(again.attempts).toBe(0);
      await store().postponeSignal(later, again, 60, { now: 50, error: 'it \0 broke', failure: 'internal' });
      expect(await nextSignal(store(), later, 60)).toEqual({ ...signal, attempts: 1, internalErrors: 1 });
      expect(await rows('inbox')).toMatchObject([{ error: 'it \uFFFD broke' }]);
    });

    it('keeps a dead letter with its error, and blocks nothing', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().receive(delivery('b'), 11);
      await store().deadLetterSignal(claim, signal, UNKNOWN, NO_FOLLOW_UP, 20);
      expect(present(await nextSignal(store(), claim, 20)).signal).toMatchObject({ deliveryId: 'b' });
      const deadLetters = (await rows('inbox')).filter((row) => row['deadLettered'] === true);
      expect(deadLetters).toMatchObject([{ error: 'unknown schema' }]);
    });

    it('stores the reply of a dead letter once, and only for the first ones of a pull request (G8)', async () => {
      const ids = Array.from({ length: MAX_REPORTED_ERRORS + 2 }, (_, index) => `comment-${index}`);
      for (const id of ids) await store().receive(delivery(id), 10);
      const claim = present(await store().claimPull(20, LEASE));
      for (const _ of ids) {
        const signal = present(await nextSignal(store(), claim, 20));
        await store().deadLetterSignal(claim, signal, UNKNOWN, { reply: REPLY, signal: null }, 20);
        await store().deadLetterSignal(claim, signal, UNKNOWN, { reply: REPLY, signal: null }, 20);
      }
      expect(await rows('effects')).toHaveLength(MAX_REPORTED_ERRORS);
      expect(present(await nextEffect(store(), claim, 20)).effect).toEqual(REPLY);
    });

    it('stores the signal that replaces a dead letter next, once (G8, V4)', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().receive(delivery('b'), 11);
      const followUp = { reply: null, signal: { type: 'dead-lettered', errorId: 'f' } } as const;
      await store().deadLetterSignal(claim, signal, UNKNOWN, followUp, 20);
      await store().deadLetterSignal(claim, signal, UNKNOWN, followUp, 20);
      const next = present(await nextSignal(store(), claim, 20));
      expect(next.signal).toEqual(followUp.signal);
      await store().save(claim, next, step(pullOf(1)), 20);
      expect(present(await nextSignal(store(), claim, 20)).signal).toMatchObject({ deliveryId: 'b' });
    });

    it('lets no commit begin while the signal that replaces a dead letter is postponed (S84, V4)', async () => {
      const { claim, signal } = await claimSignal('a');
      const followUp = { reply: null, signal: { type: 'dead-lettered', errorId: 'f' } } as const;
      await store().deadLetterSignal(claim, signal, UNKNOWN, followUp, 20);
      const next = present(await nextSignal(store(), claim, 20));
      await store().postponeSignal(claim, next, 500, { now: 20, error: 'unknown schema', failure: 'internal' });
      expect(await store().nextCommentAt(claim, 30)).toBe(500);
      const preflight = { type: 'commit-preflight', runId: 'r', headSha: '', baseRef: '', checks: [] } as const;
      const start = { ...preflight, settings: { kind: 'broken', problems: [], settings: DEFAULT_SETTINGS } } as const;
      expect(await store().saveIfInboxEmpty(claim, start, step(pullOf(1)), 30)).toBe('inbox-not-empty');
      await store().save(claim, present(await nextSignal(store(), claim, 500)), step(pullOf(1)), 500);
      expect(await store().nextCommentAt(claim, 500)).toBeNull();
      expect(await store().saveIfInboxEmpty(claim, start, step(pullOf(1)), 500)).toBe('saved');
    });

    it.each([
      [['other', 'internal', 'other'], 0, null],
      [['other', 'internal', 'internal'], 2, null],
      [['other', 'refusal', 'refusal'], 0, 21],
      [['refusal', 'other', 'refusal'], 0, 22],
    ] as const)('counts failures of one kind in a row: %j (G8, R3)', async (failures, internalErrors, refusedSince) => {
      const { claim, signal } = await claimSignal('a');
      let next = signal;
      for (const [index, failure] of failures.entries()) {
        await store().postponeSignal(claim, next, 20, { now: 20 + index, error: 'no', failure });
        next = present(await nextSignal(store(), claim, 20));
      }
      expect(next).toMatchObject({ attempts: 3, internalErrors, refusedSince });
    });

    it('returns when the earliest pending comment can be handled, ignoring results and other pull requests', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().receive(delivery('z', 2), 5);
      expect(await store().nextCommentAt(claim, 10)).toBe(10);
      expect(await store().nextCommentAt(claim, 9)).toBe(10);
      expect(await store().nextCommentAt(claim, 70)).toBe(70);
      await store().postponeSignal(claim, signal, 50, null);
      expect(await store().nextCommentAt(claim, 20)).toBe(50);
      await store().receive(delivery('b'), 30);
      expect(await store().nextCommentAt(claim, 20)).toBe(30);
      expect(await store().nextCommentAt(claim, 40)).toBe(40);
    });

    it('stores the reason of every decision, and erases comments that are not for us', async () => {
      const first = await claimSignal('a');
      await store().save(first.claim, first.signal, step(pullOf(1), { reason: 'not-for-us' }), 20);
      expect(await rows('inbox')).toMatchObject([{ reason: 'not-for-us', signal: null }]);
      const claim = await receiveAndClaim('b', 2);
      const signal = present(await nextSignal(store(), claim, 10));
      await store().save(claim, signal, step(pullOf(2), { reason: 'approved' }), 20);
      const [approval] = (await rows('inbox')).filter(({ reason }) => reason === 'approved');
      expect(present(approval)['signal']).not.toBeNull();
    });
  });
}
