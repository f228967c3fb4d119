package prose

import (
	"strings"
	"sync"
)

// lexicon has the words of sentences about telling, asking or showing people something, and
// about approval. A "*" at the end stands for any rest; words of languages
// without spaces are found anywhere. The translations are those of the entries user, tell,
// ask, show and approve of https://en.wiktionary.org.
var lexicon = []struct{ language, people, tells, not, approves, conceals string }{
	{
		"en", "user users user's users' human humans developer developers operator operators owner owners customer customers reviewer reviewers maintainer maintainers team admin administrator people",
		"tell telling tells ask asks asking inform informs informing notify notifies notifying show showing mention mentioning report reporting reports warn remind alert explain announce disclose disclosing reveal revealing display assure prompt prompting confirm confirming say saying describe summarize consult mark record present",
		"not never without don't don’t", "approved authorized authorised cleared sanctioned consented pre-approved preapproved vetted",
		"silently quietly secretly covertly discreetly unnoticed",
	},
	{"de", "nutzer* benutzer* anwender* kund* entwickler*", "sag* frag* informier* zeig* meld* erwähn* hinweis* mitteil* rückfrag* nachfrag* teil", "nicht nie niemals ohne kein* statt", "genehmig* freigegeben erlaubt autorisiert*", ""},
	{"fr", "utilisateur* utilisatrice* développeu* client*", "di* demand* inform* montr* signal* mentionn* affich* préven* avert* indiqu* rapport*", "ne pas sans jamais n'", "approuv* autoris* validé*", ""},
	{"es", "usuari* desarrollador* cliente*", "di diga* decir pregunt* inform* muestr* mostr* mencion* avis* indic* report*", "no sin nunca", "aprobad* autorizad* permitid*", ""},
	{"pt", "usuári* utilizador* desenvolvedor* cliente*", "diga* dizer pergunt* inform* mostr* mencion* avis* indiqu* relat* escrev*", "não sem nunca", "aprovad* autorizad* permitid*", ""},
	{"it", "utent* sviluppator* client*", "di' dire chied* inform* mostr* menzion* avvis* segnal* riport*", "non senza mai", "approvat* autorizzat*", ""},
	{"nl", "gebruiker* ontwikkelaar* klant*", "zeg* vraag* vertel* meld* toon* informeer* noem*", "niet geen zonder nooit", "goedgekeurd* toegestaan*", ""},
	{"pl", "użytkownik* programist*", "powiedz* mów* pytaj* pyta* inform* pokaz* wspomin* zgłasz* zgłoś*", "nie bez nigdy", "zatwierdz* zezwol*", ""},
	{"tr", "kullanıcı* geliştirici*", "söyle* sor* bildir* göster* bahset* rapor*", "", "onaylan* yetkilendir*", ""},
	{"ru", "пользовател* разработчик*", "сообщ* скаж* говор* спраш* спрос* покаж* показ* упомин* уведом* отчёт* отчет*", "не без никогда", "одобрен* разрешен* разрешён* утвержден*", ""},
	{"zh", "用户 使用者 开发者", "告诉 告知 询问 提及 显示 通知 说明 报告 提示 问", "不 无需 别", "批准 授权", ""},
	{"ja", "ユーザー 利用者 開発者", "知らせ 伝え 聞 表示 報告 言及 確認 尋ね 言わ", "ない ず せん", "承認 許可", ""},
	{"ko", "사용자 개발자", "묻 알리 말하 보여 표시 보고 언급 확인", "마세요 말고 않 없이", "승인 허가", ""},
}

// obeyed names what others obey without its path: what the files of package literal are
// called, in the manuals cited there.
var obeyed = []string{
	"shell profile", "shell rc", "shell startup", "cron job", "cronjob", "crontab", "launch agent", "launch daemon", "login item", "git hook", "pre-commit hook", "post-commit hook", "pre-push hook",
	"post-checkout hook", "post-merge hook", "session start hook", "sessionstart hook", "scheduled task", "systemd unit", "systemd service", "systemd timer", "startup folder", "startup script", "startup item",
}

// The parts of the lexicon that a word belongs to.
const (
	person = iota
	tells
	negation
	approval
	conceals
	obeys // begins a name of obeyed
	roles
)

// languages is a set of rows of the lexicon.
type languages uint16

// entry tells of a word in which languages it has which role.
type entry [roles]languages

// words holds the lexicon: complete words, and beginnings by their first two bytes.
type words struct {
	whole  map[string]entry
	stems  map[string][]stem
	begins [1 << 16]bool // the first two bytes of stems: most words need no other look
	inside []stem        // of languages without spaces
}

type stem struct {
	text  string
	entry entry
}

var lexical = sync.OnceValue(func() *words {
	w := &words{whole: map[string]entry{}, stems: map[string][]stem{}}
	for n, row := range lexicon {
		for role, list := range []string{row.people, row.tells, row.not, row.approves, row.conceals} {
			for word := range strings.FieldsSeq(list) {
				begin, cut := strings.CutSuffix(word, "*")
				var e entry
				e[role] = 1 << n
				switch {
				case row.language == "zh" || row.language == "ja" || row.language == "ko":
					w.inside = append(w.inside, stem{word, e})
				case cut && len(begin) > 2:
					w.stems[begin[:2]] = append(w.stems[begin[:2]], stem{begin, e})
					w.begins[int(begin[0])<<8|int(begin[1])] = true
				default:
					e := w.whole[begin]
					e[role] |= 1 << n
					w.whole[begin] = e
				}
			}
		}
	}
	for _, name := range obeyed {
		first, _, _ := strings.Cut(name, " ")
		e := w.whole[first]
		e[obeys] = 1
		w.whole[first] = e
	}
	return w
})

// find returns the entry of a word in small letters.
func (w *words) find(word string) (e entry, ok bool) {
	e, ok = w.whole[word]
	if len(word) > 2 && w.begins[int(word[0])<<8|int(word[1])] {
		for _, s := range w.stems[word[:2]] {
			if strings.HasPrefix(word, s.text) {
				ok = true
				for i := range e {
					e[i] |= s.entry[i]
				}
			}
		}
	}
	return e, ok
}
