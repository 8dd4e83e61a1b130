import { asText } from '../../../lib/json.ts';
import { postJson } from '../../../notify/post-json.ts';
import type { Message, TransportKind } from '../../../notify/transport-kind.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';

const colors: Readonly<Record<string, string>> = { notice: '#2f6feb', warning: '#d29922', alert: '#cf222e' };

/** Posts an attachment, as the webhooks of chat servers take them. */
export function slackTransport({ fetch }: { readonly fetch: GuardedFetch }): TransportKind {
  return {
    mode: 'webhook_slack',
    name: 'Slack Webhook (Slack/Discord)',
    send: (message, { webhook_url }) => postJson(fetch, webhook_url, chatBody(message)),
  };
}

/**
 * In chats, angle brackets create links and mention everyone. Anonymous callers choose names in events (content
 * injection).
 */
const plain = (value: unknown): string =>
  asText(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replace(/\s+/g, ' ');

function chatBody({ body, severity, user, event }: Message) {
  const field = (title: string, value: unknown) => ({ title, value: plain(value), short: true });
  return {
    username: 'Gatehouse',
    attachments: [
      {
        author_name: 'Gatehouse',
        fallback: plain(body),
        title: plain(body),
        color: colors[severity] ?? colors.notice,
        fields: [
          field('Severity', severity),
          field('Dispatched for user', user.username),
          ...(event ? [field('Event user', event.user.username ?? ''), field('Action', event.action)] : []),
        ],
        footer: 'Gatehouse',
      },
    ],
  };
}
