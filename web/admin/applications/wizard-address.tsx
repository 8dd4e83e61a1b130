import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { TextAreaField, TextField } from '../../elements/field.tsx';
import { Rich } from '../../texts/rich.tsx';
import { known, type Text, t } from '../../texts/texts.ts';
import { goTo, hereWith, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Restored } from '../generic/restored.tsx';
import { Link } from '../link.tsx';
import { slugOf } from '../slug.ts';
import { Documentation } from './documentation.tsx';
import {
  areNetworks,
  type Choices,
  entityOf,
  isRedirect,
  linesOf,
  readAddress,
  redirectsOf,
  signedOutOf,
  type Template,
} from './template.ts';
import { useKeepDraft, useWizardDraft } from './wizard-draft.ts';

/** A field that follows the address until the user changes it; emptied, it stays empty. */
function useSuggested(initial: string, suggestion: string) {
  const [own, setOwn] = useState(initial === '' ? null : initial);
  return { text: own ?? suggestion, entered: own === null || own === suggestion ? null : own, set: setOwn };
}

const incomplete = (text: string) => t('This is not a complete address: {text}', { text });
const required = (field: Text) => t('{field} (required)', { field: t(field) });

/** A file says more than the fields here ask for: certificates, and where to sign out. */
function MetadataHint() {
  const { user } = useInterface();
  if (!user.is_superuser) return null;
  const link = (text: ReactNode) => (
    <Link href={hrefOf('/providers/saml/', { dialog: 'run-import_metadata' })}>{text}</Link>
  );
  return (
    <p className="quiet">
      <Rich
        text="Does the application give you a metadata file? <link>Import it instead</link>: it also brings certificates and the address for signing out."
        values={{ link }}
      />
    </p>
  );
}

function addressHint({ protocol, hasNoPage }: Template): string {
  if (protocol === 'radius')
    return t('The networks of the access points, switches or VPN gateways, with commas between them.');
  return t(hasNoPage ? 'Where it is.' : 'Where people open it.');
}

const redirectHint = ({ asksRedirect, name }: Template): string =>
  asksRedirect
    ? t('A suggestion: the application’s documentation has the right address.')
    : t('Where {name} receives sign-ins. It follows from the address.', { name: known(name) });

function redirectComplaints(text: string, isSaml: boolean): string[] {
  const lines = linesOf(text);
  if (lines.length === 0) return [t('Enter an address.')];
  return lines.filter((line) => !(isSaml ? readAddress(line) : isRedirect(line))).map(incomplete);
}

const addressComplaints = (text: string): string[] =>
  readAddress(text) ? [] : [t('Enter an address that begins with https:// or http://.')];

const networkComplaints = (text: string): string[] =>
  areNetworks(text) ? [] : [t('Enter networks such as 192.0.2.0/24, with commas between them.')];

/** What the application is called and where it is. */
export function AddressStep({ template, initial }: { template: Template; initial: Choices }) {
  const { first, isRestored, discard } = useWizardDraft(template.id, initial);
  // Another key begins again.
  const [round, setRound] = useState(0);
  const begin = () => {
    discard();
    setRound(round + 1);
  };
  return (
    <AddressForm
      key={round}
      template={template}
      initial={initial}
      first={round === 0 ? first : initial}
      onDiscard={round === 0 && isRestored ? begin : null}
    />
  );
}

interface FormProps {
  readonly template: Template;
  readonly initial: Choices;
  /** The values that it begins with. */
  readonly first: Choices;
  /** Null where nothing is restored. */
  readonly onDiscard: (() => void) | null;
}

function AddressForm({ template, initial, first, onDiscard }: FormProps) {
  const [choices, setChoices] = useState(first);
  const [isSlugOwn, setSlugOwn] = useState(first.slug !== slugOf(first.name));
  const [isSent, setSent] = useState(false);
  const { name, slug, address, signedOut, backchannel } = choices;
  const set = (changes: Partial<Choices>) => setChoices({ ...choices, ...changes });
  const isSaml = template.protocol === 'saml';
  const isRadius = template.protocol === 'radius';
  const hasRedirects = isSaml || template.protocol === 'oauth2';
  const suggested = { ...choices, redirect: '', entity: '' };
  const isKnown = readAddress(address) !== null;
  const redirect = useSuggested(first.redirect, isKnown ? redirectsOf(template, suggested).join('\n') : '');
  const entity = useSuggested(first.entity, isKnown ? entityOf(template, suggested) : '');
  useKeepDraft(template.id, initial, {
    ...choices,
    redirect: redirect.entered ?? '',
    entity: entity.entered ?? '',
  });
  const complaints = {
    name: name.trim() === '' ? [t('Give it a name.')] : [],
    slug: /^[-a-zA-Z0-9_]+$/.test(slug) ? [] : [t('Use letters, digits, hyphens and underscores.')],
    address: isRadius ? networkComplaints(address) : addressComplaints(address),
    redirect: hasRedirects ? redirectComplaints(redirect.text, isSaml) : [],
    entity: isSaml && entity.text.trim() === '' ? [t('Enter the entity ID.')] : [],
    signedOut: linesOf(signedOut)
      .filter((text) => !isRedirect(text))
      .map(incomplete),
    backchannel: backchannel.trim() === '' || readAddress(backchannel) ? [] : [incomplete(backchannel)],
  };
  function next(event: FormEvent): void {
    event.preventDefault();
    setSent(true);
    if (Object.values(complaints).flat().length > 0) return;
    const rest = {
      redirect: redirect.entered,
      'signed-out': signedOut || null,
      backchannel: backchannel.trim() || null,
      entity: entity.entered?.trim() ?? null,
    };
    goTo(hereWith({ name: name.trim(), slug, address: address.trim(), ...rest, step: 'access' }));
  }
  return (
    <form className="card wizard-form" noValidate onSubmit={next}>
      <Documentation template={template} />
      {onDiscard && <Restored onDiscard={onDiscard} />}
      {template.asksRedirect && isSaml && <MetadataHint />}
      <TextField
        label={required('Name')}
        hint={t('Shown in the list of applications.')}
        value={name}
        errors={isSent ? complaints.name : []}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => set({ name: value, ...(!isSlugOwn && { slug: slugOf(value) }) })}
      />
      <TextField
        label={required('Slug')}
        hint={t('Part of the addresses that belong to the application.')}
        value={slug}
        errors={isSent ? complaints.slug : []}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => {
          setSlugOwn(true);
          set({ slug: value });
        }}
      />
      <TextField
        label={required(isRadius ? 'Client networks' : 'Address')}
        hint={addressHint(template)}
        type={isRadius ? 'text' : 'url'}
        placeholder={template.address}
        value={address}
        errors={isSent ? complaints.address : []}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => set({ address: value })}
      />
      {hasRedirects && (
        <TextAreaField
          label={required(isSaml ? 'Assertion consumer service' : 'Redirect URIs, one per line')}
          hint={redirectHint(template)}
          rows={isSaml ? 1 : Math.max(2, linesOf(redirect.text).length)}
          value={redirect.text}
          errors={isSent ? complaints.redirect : []}
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => redirect.set(value)}
        />
      )}
      {template.asksRedirect && !isSaml && (
        <>
          <TextAreaField
            label={t('Post-logout redirect URIs, one per line')}
            hint={t('Where the application may redirect users after logout. Empty: its address.')}
            rows={2}
            placeholder={signedOutOf(template, { ...choices, address: template.address, signedOut: '' }).join('\n')}
            value={signedOut}
            errors={isSent ? complaints.signedOut : []}
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => set({ signedOut: value })}
          />
          <TextField
            label={t('Back-channel logout address')}
            hint={t('The application’s back-channel logout URL, if its documentation lists one.')}
            type="url"
            value={backchannel}
            errors={isSent ? complaints.backchannel : []}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => set({ backchannel: value })}
          />
        </>
      )}
      {isSaml && (
        <TextField
          label={required('Entity ID of the application')}
          hint={t('Also called audience or SP issuer; see its documentation or metadata.')}
          value={entity.text}
          errors={isSent ? complaints.entity : []}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => entity.set(value)}
        />
      )}
      <div className="row">
        <Button type="submit" look="primary">
          {t('Continue')}
        </Button>
        <Link className="button" href={hrefOf('/applications/new/')}>
          {t('Back')}
        </Link>
      </div>
    </form>
  );
}
