import { createHash } from 'node:crypto';

/** The same text in every recording: other things that differ get names by the place where they stand first. */
export function steadied(text: string, origin: string, moments: readonly number[]): string {
  const hashes = new Map([...new Set(text.match(HASH) ?? [])].map((hash, index) => [hash, hashAt(hash.length, index)]));
  const short = new Map([...hashes].map(([hash, other]) => [hash.slice(0, 7), other.slice(0, 7)]));
  const guids = new Map([...new Set(text.match(GUID) ?? [])].map((guid, index) => [guid, guidAt(index)]));
  return text
    .replaceAll(origin, 'https://github.example')
    .replaceAll(new URL(origin).host, 'github.example')
    .replaceAll(TIME, (time) => steadyTime(time, moments))
    .replaceAll(HASH, (hash) => hashes.get(hash) ?? hash)
    .replaceAll(SHORT, (hash) => short.get(hash) ?? hash)
    .replaceAll(GUID, (guid) => guids.get(guid) ?? guid);
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;
const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;
const SHORT = /\b[0-9a-f]{7}\b/g;
const GUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const START = Date.UTC(2026, 0, 1);

/** As many minutes after the start as moments had begun. */
function steadyTime(time: string, moments: readonly number[]): string {
  const begun = moments.filter((moment) => moment <= Date.parse(time)).length;
  return new Date(START + begun * 60_000).toISOString().replace(time.includes('.') ? '' : '.000', '');
}

function hashAt(length: number, index: number): string {
  return createHash('sha256').update(`hash ${index}`).digest('hex').slice(0, length);
}

function guidAt(index: number): string {
  return `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}
