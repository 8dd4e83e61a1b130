import type { EventFacets, PaginatedEventList } from '../../api/types.ts';
import { pageLanguage } from '../../texts/page-language.ts';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import '../generic/list.css';
import './events.css';
import { useMemo } from 'react';
import { Loaded, useAnswer, useReply } from '../../elements/loading.tsx';
import { ExactMoment } from '../../elements/moment.tsx';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useEntry } from '../api/interface.ts';
import { LabelledSelect, TypedField } from '../generic/filters.tsx';
import { Pager } from '../generic/pager.tsx';
import { SavedViewLinks, SavedViewsButton } from '../generic/saved-views.tsx';
import { moreThan } from '../labels.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { NotFound } from '../pages/not-found.tsx';
import { AboutFilters } from './about-filter.tsx';
import { periodOf, periods, questionOf } from './event.ts';
import { EventRow } from './event-row.tsx';
import { FacetLists } from './facet-lists.tsx';
import { Histogram } from './histogram.tsx';
import { RuleDialogs } from './rule-dialog.tsx';
import { useLive } from './use-live.ts';

const rowsAPage = '50';
const path = '/events/events/';

/** What has happened, in sentences. */
export function EventsPage() {
  return useEntry(path) ? <Events /> : <NotFound />;
}

function Events() {
  const { query } = useAddress();
  const question = useMemo(() => questionOf(query).toString(), [query]);
  const page = query.get('page') ?? '1';
  // The newest event is on the first page.
  const isLive = query.get('live') === 'true' && page === '1';
  const facets = useAnswer<EventFacets>(`/events/events/facets/?${question}`);
  const download = (as: string) => `/api/v3/events/events/export/?${question}&as=${as}&language=${pageLanguage()}`;
  return (
    <Page
      title={t('Events')}
      intro={t('What has happened, newest first.')}
      actions={
        <>
          <a className="button" href={download('csv')} download="events.csv">
            {t('Export CSV')}
          </a>
          <a className="button" href={download('ndjson')} download="events.ndjson">
            {t('Export NDJSON')}
          </a>
          <Link className="button" href={hereWith({ live: isLive ? null : 'true', page: null, from: null, to: null })}>
            {t(isLive ? 'Stop following' : 'Follow live')}
          </Link>
        </>
      }
    >
      <SavedViewLinks list={path} />
      <div className="list-tools">
        <SearchAndPeriod />
        <SavedViewsButton list={path} columns={null} />
      </div>
      <div className="events">
        <div className="stack">
          <Loaded {...facets}>{(value) => <Histogram facets={value} />}</Loaded>
          <List question={question} page={page} isLive={isLive} />
        </div>
        <Loaded {...facets}>{(value) => <FacetLists facets={value} />}</Loaded>
      </div>
    </Page>
  );
}

/** Search and period; the rest is chosen beside the list. */
function SearchAndPeriod() {
  const { query } = useAddress();
  const [from, to] = [query.get('from'), query.get('to')];
  return (
    <search className="filters">
      <TypedField label={t('Search')} name="search" type="search" />
      <AboutFilters />
      {from && to ? (
        <p className="events-span">
          <span>
            <Rich
              text="{from} to {to}"
              values={{ from: <ExactMoment key="from" at={from} />, to: <ExactMoment key="to" at={to} /> }}
            />
          </span>
          <Link className="button" href={hereWith({ from: null, to: null, page: null })}>
            {t('Show all')}
          </Link>
        </p>
      ) : (
        <LabelledSelect
          label={t('Period')}
          isRequired
          value={periodOf(query)}
          options={Object.entries(periods).map(([name, title]) => [name, t(title)])}
          onChange={(period) => goTo(hereWith({ period: period === 'week' ? null : period, page: null }))}
        />
      )}
    </search>
  );
}

function List({ question, page, isLive }: { question: string; page: string; isLive: boolean }) {
  const listed = useReply<PaginatedEventList>(`/events/events/?${question}&page=${page}&page_size=${rowsAPage}`);
  const { answer } = listed;
  const newest = answer.state === 'ready' ? answer.value.value.results[0] : undefined;
  const fresh = useLive(isLive && answer.state === 'ready', question, newest);
  return (
    <Loaded {...listed}>
      {({ value: { results, pagination }, isAtLeast }) => (
        <>
          {isLive && (
            <p className="quiet small" role="status">
              {t('Following: {count, plural, one {# new event} other {# new events}}.', { count: fresh.length })}
            </p>
          )}
          {fresh.length + results.length === 0 ? (
            <p className="empty">{t('There are no such events.')}</p>
          ) : (
            <ol className="rows">
              {fresh.map((event) => (
                <EventRow key={event.pk} event={event} isNew />
              ))}
              {results.map((event) => (
                <EventRow key={event.pk} event={event} isNew={false} />
              ))}
            </ol>
          )}
          <div className="list-foot">
            <p className="quiet small">
              {moreThan(t('{count, plural, one {# event} other {# events}}', { count: pagination.count }), isAtLeast)}
            </p>
            <Pager pagination={pagination} isAtLeast={isAtLeast} without={['live']} />
          </div>
          <RuleDialogs events={[...fresh, ...results]} />
        </>
      )}
    </Loaded>
  );
}
