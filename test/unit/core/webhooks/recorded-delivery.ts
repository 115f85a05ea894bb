import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../../../src/lib/trust.ts';

/** A webhook of the fake GitHub, recorded with its headers. */
export type RecordedDelivery = { readonly event: string; readonly payload: unknown };

const FOLDER = join(import.meta.dirname, '../../../fixtures/deliveries');

/** The recorded deliveries, such as `no-run/task`. */
export const RECORDED_DELIVERIES: readonly string[] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''))
  .sort();

/** The text of a recorded delivery. */
export function recordedText(name: string): string {
  return readFileSync(join(FOLDER, `${name}.json`), 'utf8');
}

export function recordedDelivery(name: string): RecordedDelivery {
  const json = parseJson(recordedText(name));
  const headers = isRecord(json) ? json['headers'] : null;
  if (!isRecord(json) || !isRecord(headers)) throw new Error(`${name} is no recorded delivery.`);
  return { event: String(headers['x-github-event']), payload: json['payload'] };
}
