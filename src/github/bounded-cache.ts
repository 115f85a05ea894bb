/** Values by key in memory; the least recently used ones leave when the weights exceed the capacity. */
export type BoundedCache<Value> = {
  get(key: string): Value | undefined;
  /** Keeps nothing that alone is heavier than the capacity. */
  set(key: string, value: Value): void;
};

export function openBoundedCache<Value>(capacity: number, weigh: (value: Value) => number): BoundedCache<Value> {
  const values = new Map<string, Value>();
  let weight = 0;
  const drop = (key: string): void => {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    weight -= weigh(value);
  };
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      // A Map iterates in order of insertion, so that the first key is the one used longest ago.
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      drop(key);
      if (weigh(value) > capacity) return;
      values.set(key, value);
      weight += weigh(value);
      for (const oldest of values.keys()) {
        if (weight <= capacity) return;
        drop(oldest);
      }
    },
  };
}
