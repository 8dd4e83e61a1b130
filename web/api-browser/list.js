import { matches } from './document.js';
import { badge, byId, element } from './dom.js';

/** The operations by tag, those that the filter leaves. */
export function showList(api, filter, selected) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = api.operations.filter((operation) => matches(operation, words));
  const tags = Map.groupBy(found, ({ tags: [tag] }) => tag);
  const isOpen = (tag) => words.length > 0 || api.byId.get(selected)?.tags[0] === tag;
  byId('list').replaceChildren(
    ...[...tags].map(([tag, operations]) =>
      element(
        'details',
        { open: isOpen(tag) },
        element('summary', {}, tag, element('span', { class: 'tally' }, String(operations.length))),
        element(
          'ul',
          {},
          operations.map((operation) => entry(operation, operation.operationId === selected)),
        ),
      ),
    ),
  );
  byId('count').textContent =
    found.length === api.operations.length
      ? `${found.length} operations`
      : `${found.length} of ${api.operations.length} operations`;
}

const entry = ({ method, path, operationId, summary }, isSelected) =>
  element(
    'li',
    {},
    element(
      'a',
      { href: `#${operationId}`, title: summary, 'aria-current': isSelected && 'page' },
      badge(method),
      ' ',
      element('span', { class: 'path' }, path),
    ),
  );

/** Arrow keys go up and down the list. */
export function moveInList(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [byId('filter'), ...byId('list').querySelectorAll('summary, details[open] a')];
  const at = stops.indexOf(document.activeElement);
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at === -1 || !next) return;
  event.preventDefault();
  next.focus();
}
