/** Label values by label name. Never a repository's or a person's name. */
export type Labels = Readonly<Record<string, string>>;

export type Counter = { add(labels?: Labels, amount?: number): void };
export type Gauge = { set(value: number, labels?: Labels): void };
export type Histogram = { observe(value: number, labels?: Labels): void };

/** A registry of measurements and its page in the Prometheus text format. */
export type Metrics = {
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  /** `bounds` are the upper bounds of the buckets, ascending. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** All measurements; names in the order of their registration. */
  page(): string;
};

type Family = { readonly head: string; readonly values: Map<string, number> };

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function sampleKey(name: string, labels: Labels): string {
  const parts = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);
  return parts.length === 0 ? name : `${name}{${parts.join(',')}}`;
}

function raise(family: Family, name: string, labels: Labels, amount: number): void {
  const key = sampleKey(name, labels);
  family.values.set(key, (family.values.get(key) ?? 0) + amount);
}

function observeIn(family: Family, name: string, bounds: readonly number[], value: number, labels: Labels): void {
  // Every bucket is made at the first observation, because a missing one would read as a gap.
  for (const bound of bounds) raise(family, `${name}_bucket`, { ...labels, le: String(bound) }, value <= bound ? 1 : 0);
  raise(family, `${name}_bucket`, { ...labels, le: '+Inf' }, 1);
  raise(family, `${name}_sum`, labels, value);
  raise(family, `${name}_count`, labels, 1);
}

function write(family: Family): string {
  return family.head + [...family.values].map(([key, value]) => `${key} ${value}\n`).join('');
}

/** Opens an empty registry. A name is registered once; a second time is a mistake of the program and throws. */
export function openMetrics(): Metrics {
  const families = new Map<string, Family>();
  const register = (name: string, help: string, type: string): Family => {
    if (families.has(name)) throw new Error(`metric ${name} is registered twice`);
    const family = { head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`, values: new Map<string, number>() };
    families.set(name, family);
    return family;
  };
  return {
    counter: (name, help) => {
      const family = register(name, help, 'counter');
      return { add: (labels = {}, amount = 1) => raise(family, name, labels, amount) };
    },
    gauge: (name, help) => {
      const family = register(name, help, 'gauge');
      return { set: (value, labels = {}) => void family.values.set(sampleKey(name, labels), value) };
    },
    histogram: (name, help, bounds) => {
      const family = register(name, help, 'histogram');
      return { observe: (value, labels = {}) => observeIn(family, name, bounds, value, labels) };
    },
    page: () => [...families.values()].map(write).join(''),
  };
}
