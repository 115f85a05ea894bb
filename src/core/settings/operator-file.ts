import type { z } from 'zod';
import { firstOf, formatList } from '../../lib/format.ts';
import { isRecord } from '../../lib/trust.ts';
import type { ModelPrice } from '../state/spending.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { type LineOf, readSettings, type SettingsProblem, type SetValues } from './settings-file.ts';
import { OperatorFileSchema } from './settings-schema.ts';

/** The content of `CONFIG_FILE`. */
export type OperatorSettings = ModelOffer & {
  /** Replace the built-in defaults of a repository's settings. */
  readonly defaults: SetValues;
  /** Bounds that a repository can only tighten. */
  readonly ceilings: SetValues;
  /** By model. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
};

/** Without a `CONFIG_FILE`. */
export const NO_OPERATOR_SETTINGS: OperatorSettings = {
  defaults: {},
  ceilings: {},
  defaultModel: null,
  models: [],
  prices: new Map(),
};

/** A file that is being written is empty for a moment, and read then it would take every bound away. */
const EMPTY_FILE = 'line 1: the file is empty; without any settings it is a comment, such as "# none"';

type OperatorReading =
  | { readonly kind: 'values'; readonly values: OperatorSettings }
  /** One line each. */
  | { readonly kind: 'broken'; readonly problems: readonly string[] };

/**
 * Reads the operator's file, or returns every problem, one line each. `defaultModel` is `OPENAI_MODEL`, or null where
 * that is not known. Never throws.
 */
export function parseOperatorFile(found: SettingsFileLookup, defaultModel: string | null): OperatorReading {
  if (found.kind === 'file' && found.bytes.byteLength === 0) return { kind: 'broken', problems: [EMPTY_FILE] };
  const reading = readSettings(found, {
    name: 'CONFIG_FILE',
    schema: OperatorFileSchema,
    findProblems: (values, lineOf) => {
      const offer = { defaultModel, models: values.models };
      return findModelProblems(values, lineOf, { ...offer, usable: offeredModels(offer), prices: pricesOf(values) });
    },
  });
  if (reading.kind === 'broken') return { kind: 'broken', problems: reading.problems };
  const { set, parsed } = reading;
  // As written, because the schema's defaults are no bounds.
  const { ceilings, models: _models, prices: _prices, ...defaults } = set;
  const bounds = isRecord(ceilings) ? ceilings : {};
  const { models } = parsed;
  return { kind: 'values', values: { defaults, ceilings: bounds, defaultModel, models, prices: pricesOf(parsed) } };
}

function pricesOf({ prices }: z.infer<typeof OperatorFileSchema>): ReadonlyMap<string, ModelPrice> {
  const named = Object.entries(prices).map(
    ([model, { input, cached_input: cachedInput = input, output }]) => [model, { input, cachedInput, output }] as const,
  );
  return new Map(named);
}

/** The operator's settings about models. */
type ModelOffer = {
  /** `OPENAI_MODEL`; null where it is not known, so that names of models cannot be checked. */
  readonly defaultModel: string | null;
  /** Those that a repository can name beside it. */
  readonly models: readonly string[];
};

/** The model to use for a run that began with `model`: the operator's default where it is no longer offered. */
export function modelInForce(offer: ModelOffer, model: string | null): string | null {
  const { defaultModel } = offer;
  return model === null || (defaultModel !== null && !offeredModels(offer).includes(model)) ? defaultModel : model;
}

function offeredModels({ defaultModel, models }: ModelOffer): readonly string[] {
  return [...new Set([...(defaultModel === null ? [] : [defaultModel]), ...models])];
}

/** The values of either file that are about models. */
type ModelValues = {
  readonly model?: string | undefined;
  readonly limits?: CostLimit | undefined;
  readonly ceilings?: { readonly limits?: CostLimit | undefined } | undefined;
};

type CostLimit = { readonly cost_usd?: number | undefined };

/** A model that the operator does not offer, and each limit of cost where a model that can be used has no price. */
export function findModelProblems(
  { model, limits, ceilings }: ModelValues,
  lineOf: LineOf,
  offer: ModelOffer & { readonly usable: readonly string[]; readonly prices: ReadonlyMap<string, unknown> },
): readonly SettingsProblem[] {
  const offered = offeredModels(offer);
  if (offer.defaultModel === null) return [];
  if (model !== undefined && !offered.includes(model)) {
    const message = `model must be one that the operator allows (${listModels(offered)}), not ${JSON.stringify(model)}`;
    return [{ line: lineOf(['model']), message }];
  }
  const unpriced = offer.usable.filter((one) => !offer.prices.has(one));
  if (unpriced.length === 0) return [];
  const places = [
    ...(limits?.cost_usd === undefined ? [] : [['limits', 'cost_usd']]),
    ...(ceilings?.limits?.cost_usd === undefined ? [] : [['ceilings', 'limits', 'cost_usd']]),
  ];
  return places.map((path) => ({
    line: lineOf(path),
    message: `${path.join('.')} needs a price of each model, and the operator’s prices have none of ${listModels(unpriced)}`,
  }));
}

const MAX_MODELS_NAMED = 20;

function listModels(models: readonly string[]): string {
  return formatList(firstOf(models, MAX_MODELS_NAMED, (model) => JSON.stringify(model)));
}
