import { FAMILIES, type Family } from './families.ts';

/** Counts what happened, under one value for each label. Never a repository's or a person's name. */
export type Counter<Label extends string> = { add(labels: Readonly<Record<Label, string>>): void };

/** What was counted since the process began, and its page in the Prometheus text format. */
export type Metrics = {
  counter<Label extends string>(family: Family<Label>): Counter<Label>;
  /** All families, also those of which nothing has happened yet. */
  page(): string;
};

type Counts = Map<string, number>;

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Labels stand in the family's own order, so that one sample has one name. */
function sampleOf<Label extends string>(
  { name, labels }: Family<Label>,
  values: Readonly<Record<string, string>>,
): string {
  const parts = Object.keys(labels).map((label) => `${label}="${escapeLabel(values[label] ?? '')}"`);
  return `${name}{${parts.join(',')}}`;
}

/** Every sample whose labels are known beforehand begins at zero: else its first increase would be seen by nobody. */
function atZero<Label extends string>(family: Family<Label>): Counts {
  let known: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, values] of Object.entries<readonly string[]>(family.labels))
    known = known.flatMap((labels) => values.map((value) => ({ ...labels, [label]: value })));
  return new Map(known.map((labels) => [sampleOf(family, labels), 0]));
}

function written({ name, help }: Family<string>, counts: Counts): string {
  const samples = [...counts].map(([sample, count]) => `${sample} ${count}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${samples.join('')}`;
}

/** Opens counters at zero. */
export function openMetrics(families: readonly Family<string>[] = Object.values(FAMILIES)): Metrics {
  const counted = new Map(families.map((family) => [family.name, atZero(family)]));
  return {
    counter(family) {
      const counts = counted.get(family.name);
      if (counts === undefined) throw new Error(`nothing counts ${family.name}`);
      return {
        add(labels) {
          const sample = sampleOf(family, labels);
          counts.set(sample, (counts.get(sample) ?? 0) + 1);
        },
      };
    },
    page: () => families.map((family) => written(family, counted.get(family.name) ?? new Map())).join(''),
  };
}
