import { formatList } from '../../lib/format.ts';
import { isRecord } from '../../lib/trust.ts';
import type { FlatValues } from './strictness.ts';
import type { SetValues, YamlValues } from './read-values.ts';
import type { SettingsProblem, ValuePath } from './settings-file.ts';

/** The operator's settings about models. */
type ModelOffer = {
  /** `OPENAI_MODEL`; null where it is not known. */
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

/**
 * The problems of a repository's file: a model that the operator does not offer, or a limit of cost without a price.
 */
export function findModelProblems(
  values: SetValues,
  source: YamlValues,
  operator: ModelOffer & { readonly defaults: FlatValues; readonly prices: ReadonlyMap<string, unknown> },
): readonly SettingsProblem[] {
  const unknown = findUnknownModel(values, source, operator);
  if (unknown.length > 0) return unknown;
  const model = values['model'] ?? operator.defaults.get('model') ?? operator.defaultModel;
  if (typeof model !== 'string' || operator.defaultModel === null || operator.prices.has(model)) return [];
  return findCostLimits(values, []).map((path) => ({
    line: source.lineOf(path),
    message: `limits.cost_usd needs a price of the model ${JSON.stringify(model)}, and the operator gives none; remove it, or ask the operator to add one to prices`,
  }));
}

/**
 * The problems of the operator's file: a default that is not offered, or a limit of cost and models without a price.
 */
export function findOperatorModelProblems(
  values: SetValues,
  source: YamlValues,
  defaultModel: string | null,
): readonly SettingsProblem[] {
  const offer = { defaultModel, models: textList(values['models']) };
  const prices = isRecord(values['prices']) ? values['prices'] : {};
  const unpriced = offeredModels(offer).filter((model) => !Object.hasOwn(prices, model));
  const limits = [...findCostLimits(values, []), ...findCostLimits(values['ceilings'], ['ceilings'])];
  const withoutPrice = unpriced.length === 0 ? [] : limits;
  return [
    ...findUnknownModel(values, source, offer),
    ...withoutPrice.map((path) => ({
      line: source.lineOf(path),
      message: `${path.join('.')} needs a price of each model, and prices has none of ${listModels(unpriced)}`,
    })),
  ];
}

/**
 * Prices of the operator's file that no run can have, such as that of a mistyped name. They are no problem of the file,
 * because the price of a model that is about to be offered can stand there before.
 */
export function listPriceWarnings(
  operator: ModelOffer & { readonly prices: ReadonlyMap<string, unknown> },
): readonly string[] {
  if (operator.defaultModel === null) return [];
  const offered = new Set(offeredModels(operator));
  const unused = [...operator.prices.keys()].filter((model) => !offered.has(model));
  return unused.length === 0
    ? []
    : [
        `prices has ${listModels(unused)}, but only ${listModels([...offered])} can be used: correct the name, add it to models, or remove its price.`,
      ];
}

function findUnknownModel({ model }: SetValues, source: YamlValues, offer: ModelOffer): readonly SettingsProblem[] {
  if (typeof model !== 'string' || offer.defaultModel === null || offeredModels(offer).includes(model)) return [];
  const message = `model must be one that the operator allows (${listModels(offeredModels(offer))}), not ${JSON.stringify(model)}`;
  return [{ line: source.lineOf(['model']), message }];
}

const MAX_MODELS_NAMED = 20;

function listModels(models: readonly string[]): string {
  const named = models.slice(0, MAX_MODELS_NAMED).map((model) => JSON.stringify(model));
  const remaining = models.length - named.length;
  return formatList([...named, ...(remaining > 0 ? [`${remaining} more`] : [])]);
}

/** The place of the limit of cost, if these values set one. */
function findCostLimits(values: unknown, above: ValuePath): readonly ValuePath[] {
  const limits = isRecord(values) ? values['limits'] : undefined;
  return isRecord(limits) && limits['cost_usd'] !== undefined ? [[...above, 'limits', 'cost_usd']] : [];
}

function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
