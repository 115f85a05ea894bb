import { hash } from 'node:crypto';
import type { Change, FileChange, FileMode, Region } from './change.ts';

/** The content under a digest: displayed lines, or blobs for files that are not text. */
type DigestBody =
  | { readonly kind: 'region'; readonly region: Region }
  | { readonly kind: 'blobs'; readonly oldBlob: string | null; readonly newBlob: string | null }
  | { readonly kind: 'read'; readonly blob: string };

/** Everything that a digest covers. `fromPath` is the source of a move; a mode is null if that side has no file. */
export type DigestInput = {
  readonly op: FileChange['op'];
  readonly path: string;
  readonly fromPath: string | null;
  readonly oldMode: FileMode | null;
  readonly newMode: FileMode | null;
  readonly body: DigestBody;
};

/**
 * SHA-256 in hex of the canonical JSON of the displayed change. Line numbers are left out, so the digest survives
 * relocation.
 */
export function changeDigest(input: DigestInput): string {
  const { op, path, fromPath, oldMode, newMode, body } = input;
  const fields = ['countersign-v1', op, path, fromPath, oldMode, newMode, canonicalBody(body)];
  return hash('sha256', canonicalJson(fields), 'hex');
}

/** The digest of a change whose lines are at this region; null for a change without lines. */
export function digestAtRegion(
  change: Pick<FileChange, 'op' | 'path' | 'from' | 'base' | 'result'>,
  region: Region | null,
): string {
  const { op, path, from, base, result } = change;
  // A reading has no side that it changes, so it has no modes.
  if (op === 'read') {
    const body = { kind: 'read', blob: base?.blob ?? '' } as const;
    return changeDigest({ op, path, fromPath: null, oldMode: null, newMode: null, body });
  }
  const body =
    region === null
      ? ({ kind: 'blobs', oldBlob: base?.blob ?? null, newBlob: result?.blob ?? null } as const)
      : ({ kind: 'region', region } as const);
  return changeDigest({ op, path, fromPath: from, oldMode: base?.mode ?? null, newMode: result?.mode ?? null, body });
}

/** SHA-256 in hex of the canonical list of the members' digests, in their order. */
export function setDigest(memberDigests: readonly string[]): string {
  return hash('sha256', canonicalJson(['countersign-set-v1', memberDigests]), 'hex');
}

/** The digest of a change from those of its members: of a single one its own. */
export function membersDigest(members: readonly Pick<FileChange, 'digest'>[]): string {
  const [first, ...others] = members;
  return first !== undefined && others.length === 0 ? first.digest : setDigest(members.map(({ digest }) => digest));
}

/** The digest of a change as it is stored, worked out again from its lines and blobs. */
export function recomputedDigest({ members }: Change): string {
  return membersDigest(members.map((member) => ({ digest: digestAtRegion(member, member.region) })));
}

function canonicalBody(body: DigestBody): Json {
  switch (body.kind) {
    case 'region': {
      const { before, old, new: newLines, after } = body.region;
      return { before, old, new: newLines, after };
    }
    case 'blobs':
      return { oldBlob: body.oldBlob, newBlob: body.newBlob };
    case 'read':
      return { blob: body.blob };
  }
}

type Json = string | null | readonly Json[] | { readonly [key: string]: Json };

/** JSON by RFC 8785 for these types: keys in code unit order, no spaces, shortest escapes. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'string') return JSON.stringify(value);
  // `JSON.stringify` writes a list of strings canonically, and much faster than one by one.
  if (isJsonArray(value))
    return value.every((one) => typeof one === 'string')
      ? JSON.stringify(value)
      : `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
