import { t } from '../../texts/texts.ts';
import '../widgets/picker.css';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { kindName } from '../labels.ts';
import { useNameOf } from '../widgets/use-name-of.ts';

const ofObject = ['context_model_app', 'context_model_name', 'context_model_pk'] as const;

/** The filters of the address that stand neither in a field nor beside the list: by the object, and by the brand. */
export function AboutFilters() {
  const { query } = useAddress();
  const brand = query.get('brand_name');
  return (
    <>
      {ofObject.some((name) => query.has(name)) && <ObjectFilter query={query} />}
      {brand && <Chip text={`${kindName('Brand')} ${brand}`} names={['brand_name']} />}
    </>
  );
}

function ObjectFilter({ query }: { query: URLSearchParams }) {
  const { resources } = useInterface();
  const [app = '', name = '', key = ''] = ofObject.map((member) => query.get(member) ?? '');
  const model = `${app}.${name}`;
  const entry = resources.find((one) => one.model === model);
  // Events have keys without hyphens.
  const pk = key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const called = useNameOf(model, entry && pk ? [pk] : []);
  const kind = entry?.singular ?? [app, name].filter(Boolean).join('.');
  return <Chip text={[kind, pk && called(pk)].filter(Boolean).join(' ')} names={ofObject} />;
}

function Chip({ text, names }: { text: string; names: readonly string[] }) {
  const remove = () => goTo(hereWith({ ...Object.fromEntries(names.map((name) => [name, null])), page: null }));
  return (
    <p className="tag picked">
      <bdi>{text}</bdi>
      <button type="button" onClick={remove}>
        <span aria-hidden="true">×</span>
        <span className="visually-hidden">{t('Remove the filter {name}', { name: text })}</span>
      </button>
    </p>
  );
}
