import { t } from '../../texts/texts.ts';

/** What an application needs to search a directory. */
export function LdapNote() {
  return (
    <p className="quiet">
      {t(
        'SERVICE-ACCOUNT stands for a service account with the permission “Search full LDAP directory” on the provider; its app password is the password. The ports are GATEHOUSE_LDAP_PORT and GATEHOUSE_LDAPS_PORT of this server.',
      )}
    </p>
  );
}
