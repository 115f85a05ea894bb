import fc from 'fast-check';

type Path = readonly string[];

function pathsOf(of: unknown, at: Path = []): readonly Path[] {
  if (typeof of !== 'object' || of === null) return [at];
  return [at, ...Object.entries(of).flatMap(([key, inner]) => pathsOf(inner, [...at, key]))];
}

/** Fields that decide nothing are most of a payload; those that are read are picked as often as all the others. */
const READ =
  /^(?:action|sender|installation|repository|number|before|after|issue|pull_request|comment|review)(?:\.(?:id|login|type|name|owner|number|state|merged|pull_request|user|body|created_at|updated_at|submitted_at|in_reply_to_id|path|performed_via_github_app)|$)/;

const GONE = Symbol('gone');

function broken(of: unknown, path: Path, by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by === GONE ? undefined : by;
  if (typeof of !== 'object' || of === null) return of;
  const entries = Object.entries(of).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner] as const];
    return rest.length === 0 && by === GONE ? [] : [[name, broken(inner, rest, by)] as const];
  });
  return Array.isArray(of) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Never text for text or a number for a number: that would be another payload, not a broken one. */
function isOtherKind(was: unknown, by: unknown): boolean {
  return by === GONE || by === null || typeof by !== typeof was || Array.isArray(by) !== Array.isArray(was);
}

function at(of: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([name]) => name === key)?.[1]
        : undefined,
    of,
  );
}

const nonsense = fc.oneof(
  fc.constant(GONE),
  fc.constantFrom<unknown>(null, '', 'x', -1, 0, 1.5, 2 ** 60, true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Where a payload is broken, and what stands there instead. */
export type Wound = { readonly pick: number; readonly read: boolean; readonly by: unknown };
export const wound: fc.Arbitrary<Wound> = fc.record({ pick: fc.nat(), read: fc.boolean(), by: nonsense });

/** The payload with all of the wounds. */
export function wounded(payload: unknown, wounds: readonly Wound[]): unknown {
  return wounds.reduce<unknown>((inner, { pick, read, by }) => {
    const paths = pathsOf(inner).filter((path) => !read || READ.test(path.join('.')));
    const path = paths[pick % Math.max(1, paths.length)] ?? [];
    return isOtherKind(at(inner, path), by) ? broken(inner, path, by) : inner;
  }, payload);
}
