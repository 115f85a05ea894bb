import type { SettingInForce } from '../state/settings.ts';

/** Settings that people read together. */
export type SettingGroup = { readonly title: string; readonly settings: readonly SettingInForce[] };

/** The settings as people read them, in this order. `limits` stands for all keys of this group. */
const SETTING_GROUPS: readonly { readonly title: string; readonly keys: readonly string[] }[] = [
  {
    title: 'Who may approve',
    keys: ['approvers', 'required_approvals', 'require_non_author', 'require_non_requester', 'require'],
  },
  { title: 'Which files', keys: ['rules', 'protected_paths', 'standing_approvals'] },
  {
    title: 'How it is decided',
    keys: ['commands', 'decide_in', 'review_approval', 'review_event', 'expiry'],
  },
  { title: 'The agent and its commits', keys: ['model', 'context_files', 'commit_message', 'sign_off'] },
  { title: 'Limits', keys: ['limits'] },
];

const OTHER_SETTINGS = 'Other';

/** Settings in groups with a title; groups without a setting are left out, and no setting is. */
export function groupSettings(settings: readonly SettingInForce[]): readonly SettingGroup[] {
  const places = new Map(SETTING_GROUPS.flatMap(({ keys }) => keys).map((key, index) => [key, index]));
  const titles = new Map(SETTING_GROUPS.flatMap(({ title, keys }) => keys.map((key) => [key, title])));
  const nameOf = ({ key }: SettingInForce): string => key.split('.')[0] ?? key;
  const placeOf = (setting: SettingInForce): number => places.get(nameOf(setting)) ?? places.size;
  const sorted = settings.toSorted((left, right) => placeOf(left) - placeOf(right));
  const groups = Map.groupBy(sorted, (setting) => titles.get(nameOf(setting)) ?? OTHER_SETTINGS);
  return [...groups].map(([title, members]) => ({ title, settings: members }));
}
