import type { ObjectStore } from './object-store.ts';

/**
 * Remembers what a pure function says about objects, by the ids it was asked about.
 * Safe because objects never change: only the time to the answer differs. An undefined
 * answer (object missing) is not kept, since the object may be added later.
 */
export function rememberPerStore<Value>(
  compute: (store: ObjectStore, ...ids: readonly string[]) => Value,
): (store: ObjectStore, ...ids: readonly string[]) => Value {
  const answersByStore = new WeakMap<ObjectStore, Map<string, Value>>();
  return (store, ...ids) => {
    const answers = answersByStore.get(store) ?? new Map<string, Value>();
    answersByStore.set(store, answers);
    const key = ids.join(' ');
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = compute(store, ...ids);
    if (answer !== undefined) answers.set(key, answer);
    return answer;
  };
}
