import { hash } from 'node:crypto';
import type { Change, FileMode, Region } from './change.ts';

/** What a digest says of content: the lines a person saw, or blob names where a side is not text. */
export type DigestBody =
  | { readonly kind: 'region'; readonly region: Region }
  | { readonly kind: 'blobs'; readonly oldBlob: string | null; readonly newBlob: string | null }
  | { readonly kind: 'read'; readonly blob: string };

/** Everything that a digest covers. `fromPath` is a move's source; a mode is null where that side does not exist. */
export type DigestInput = {
  readonly op: Change['op'];
  readonly path: string;
  readonly fromPath: string | null;
  readonly oldMode: FileMode | null;
  readonly newMode: FileMode | null;
  readonly body: DigestBody;
};

type Json = string | null | readonly Json[] | { readonly [key: string]: Json };

/** SHA-256 in hex over the canonical JSON of what a person sees; where the lines stand does not matter. */
export function changeDigest(input: DigestInput): string {
  const { op, path, fromPath, oldMode, newMode, body } = input;
  const form = ['countersign-v1', op, path, fromPath, oldMode, newMode, bodyForm(body)];
  return hash('sha256', canonicalJson(form), 'hex');
}

/** RFC 8785 for the values that a digest has: keys in code unit order, no spaces, the shortest escapes. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'string') return JSON.stringify(value);
  // A list of strings has one form, and the engine writes it far quicker than line by line.
  if (isList(value)) return value.every(isString) ? JSON.stringify(value) : `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isString(value: Json): boolean {
  return typeof value === 'string';
}

function bodyForm(body: DigestBody): Json {
  switch (body.kind) {
    case 'region': {
      const { before, old, new: fresh, after } = body.region;
      return { before, old, new: fresh, after };
    }
    case 'blobs':
      return { oldBlob: body.oldBlob, newBlob: body.newBlob };
    case 'read':
      return { blob: body.blob };
  }
}
