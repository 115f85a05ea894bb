import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { interpret } from '../../../../src/core/webhooks/interpret.ts';
import { isRecord, parseJson } from '../../../../src/lib/trust.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/deliveries');

const RECORDED_DELIVERIES: readonly string[] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''))
  .sort();

function recordedText(name: string): string {
  return readFileSync(join(FOLDER, `${name}.json`), 'utf8');
}

const APP = { slug: 'countersign', botId: 1002 };

/** How each recorded delivery is read: the kind of its intent, and its command if it has one. */
const READINGS = {
  'no-run/task': 'comment: task',
  'one-denied/deny-deleted': 'ignored: unknown-event',
  'pushed/commit-suggestion': 'pushed',
  'review/review-with-replies': 'comment: approve',
  'two-pending/approve-by-id': 'comment: approve',
  'two-pending/approve-in-thread': 'comment: approve',
  'two-pending/close': 'closed',
  'two-pending/edited-to-approve': 'edited',
  'two-pending/instruction': 'comment: text',
  'two-pending/stop': 'comment: stop',
};

function readingOf(name: string): string {
  const recorded = parseJson(recordedText(name));
  const headers = isRecord(recorded) ? recorded['headers'] : null;
  if (!isRecord(recorded) || !isRecord(headers)) throw new Error(`${name} is no recorded delivery.`);
  const read = interpret({ event: String(headers['x-github-event']), payload: recorded['payload'], app: APP });
  if (read.kind === 'ignored') return `ignored: ${read.reason}`;
  if (read.kind !== 'intent') return read.kind;
  const { intent } = read;
  if (intent.kind !== 'comment') return intent.kind;
  const { parsed } = intent;
  return `comment: ${parsed.kind === 'command' ? parsed.command.name : parsed.kind}`;
}

describe('recorded deliveries (F11)', () => {
  it('are all in the table', () => expect(RECORDED_DELIVERIES).toEqual(Object.keys(READINGS)));

  it.each(Object.entries(READINGS))('%s is read as %j', (name, reading) => expect(readingOf(name)).toBe(reading));

  it.each(RECORDED_DELIVERIES)('%s contains no confidential data', (name) => {
    expect(recordedText(name)).not.toMatch(/signature|secret|token"/i);
  });
});
