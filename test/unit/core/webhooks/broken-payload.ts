import fc from 'fast-check';

/** One damage to a payload: the field (chosen by `pick`) and its new value. */
type Damage = { readonly pick: number; readonly parsedFieldsOnly: boolean; readonly value: unknown };

const REMOVED = Symbol('removed');

const anyValue = fc.oneof(
  fc.constant(REMOVED),
  fc.constantFrom<unknown>(null, '', 'x', -1, 0, 1.5, 2 ** 60, true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);

export const damage: fc.Arbitrary<Damage> = fc.record({
  pick: fc.nat(),
  parsedFieldsOnly: fc.boolean(),
  value: anyValue,
});

/** The payload with all damages. */
export function breakPayload(payload: unknown, damages: readonly Damage[]): unknown {
  return damages.reduce<unknown>((broken, { pick, parsedFieldsOnly, value }) => {
    const paths = pathsOf(broken).filter((path) => !parsedFieldsOnly || PARSED_FIELD.test(path.join('.')));
    const path = paths[pick % Math.max(1, paths.length)] ?? [];
    return isOtherType(valueAt(broken, path), value) ? replaceAt(broken, path, value) : broken;
  }, payload);
}

type Path = readonly string[];

/** Most fields of a payload are never parsed, so half of the damages are to those that are. */
const PARSED_FIELD =
  /^(?:action|sender|installation|repository|number|before|after|issue|pull_request|comment|review)(?:\.(?:id|login|type|name|owner|number|state|merged|pull_request|user|body|created_at|updated_at|submitted_at|in_reply_to_id|path|performed_via_github_app)|$)/;

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...at, key]))];
}

/** A text for a text or a number for a number would be another valid payload, not a broken one. */
function isOtherType(before: unknown, after: unknown): boolean {
  return (
    after === REMOVED ||
    after === null ||
    typeof after !== typeof before ||
    Array.isArray(after) !== Array.isArray(before)
  );
}

function valueAt(payload: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([name]) => name === key)?.[1]
        : undefined,
    payload,
  );
}

function replaceAt(payload: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value === REMOVED ? undefined : value;
  if (typeof payload !== 'object' || payload === null) return payload;
  const entries = Object.entries(payload).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner] as const];
    return rest.length === 0 && value === REMOVED ? [] : [[name, replaceAt(inner, rest, value)] as const];
  });
  return Array.isArray(payload) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
