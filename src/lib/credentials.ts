/** Replacement for a credential. */
export const REDACTED = '[redacted]';

/**
 * Patterns of credentials by their names. They also match inside JSON, where a line break is `\n`. Each runs in linear
 * time, because the text can be hostile.
 */
const CREDENTIAL_PATTERNS: Readonly<Record<string, RegExp>> = {
  'a private key':
    /-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s]|\\n|\\r)*(?:-----END [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----)?/,
  'a GitHub token': /gh[a-z]_[A-Za-z0-9._-]{10,}|github_pat_[A-Za-z0-9_]{10,}/,
  'a GitLab token': /\bgl(?:pat|dt|rt|ptt|soat)-[A-Za-z0-9_-]{20,}/,
  'an AWS access key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'a Google key': /\bAIza[A-Za-z0-9_-]{35}|\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  'an Azure storage key': /\bAccountKey=[A-Za-z0-9+/=]{40,}/,
  'a Slack token': /\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}/,
  'a Slack webhook': /(?<=\/\/)hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/,
  // These keys always contain digits; names such as `sk-learn-…` rarely do. Here and below the lookahead stops at the
  // start of another key, so that many starts in a row do not take quadratic time.
  'an OpenAI or Anthropic key': /\bsk-(?=(?:(?!-sk-)[A-Za-z0-9_-]){0,200}\d)[A-Za-z0-9_-]{16,}/,
  'a Hugging Face token': /\bhf_[A-Za-z0-9]{30,}/,
  'a Stripe key': /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}/,
  'an npm token': /\bnpm_[A-Za-z0-9]{36}/,
  'a PyPI token': /\bpypi-[A-Za-z0-9_-]{16,}/,
  'a RubyGems key': /\brubygems_[0-9a-f]{48}/,
  'a Docker token': /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
  'a SendGrid key': /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/,
  'a Mailgun key': /\bkey-[0-9a-f]{32}\b/,
  'a Twilio key': /\bSK[0-9a-f]{32}\b/,
  'a Shopify token': /\bshp(?:at|ca|pa|ss)_[0-9a-f]{32}/,
  'a DigitalOcean token': /\bdo[opr]_v1_[0-9a-f]{64}/,
  'a Databricks token': /\bdapi[0-9a-f]{32}\b/,
  'a Vault token': /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/,
  'an Atlassian token': /\bATATT3[A-Za-z0-9_=-]{20,}/,
  'a Linear key': /\blin_api_[A-Za-z0-9]{30,}/,
  'a Postman key': /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}/,
  'a Grafana token': /\bgl(?:sa|c)_[A-Za-z0-9_=+/]{30,}/,
  'a New Relic key': /\bNRAK-[A-Z0-9]{27}/,
  'a Sentry token': /\bsntry[su]_[A-Za-z0-9_=+/]{40,}/,
  'a Figma token': /\bfigd_[A-Za-z0-9_-]{30,}/,
  'a Telegram token': /\b\d{8,10}:AA[A-Za-z0-9_-]{33}/,
  'a JSON web token': /\beyJ(?:(?!-eyJ)[A-Za-z0-9_-]){8,500}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,}/,
  'a password in an address': /(?<=\/\/)[^\s/"'@:]*:[^\s/"'@]*(?=@)/,
};

const ANY_CREDENTIAL = new RegExp(
  Object.values(CREDENTIAL_PATTERNS)
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** The text with every credential replaced. */
export function redactCredentials(text: string): string {
  return text.replace(ANY_CREDENTIAL, REDACTED);
}

/** The kinds of credentials in a text; usually none. */
export function findCredentials(text: string): readonly string[] {
  if (text.search(ANY_CREDENTIAL) === -1) return [];
  return Object.entries(CREDENTIAL_PATTERNS).flatMap(([name, shape]) => (shape.test(text) ? [name] : []));
}
