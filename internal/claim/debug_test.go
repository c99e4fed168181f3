package claim
import ("testing";"os";"fmt")
func TestDebug(t *testing.T){
 s:=os.Getenv("DBG"); if s=="" {return}
 ls,_:=languages()
 tx:=read(s)
 for i,l:=range ls { r:=reading{dialect:l,words:l.spell(tx.words)}
  for _,w:=range r.words{r.classes=append(r.classes,l.classesOf(w))}
  r.cues=make([]cue,len(r.words)); f:=r.find()
  for j,w:=range r.words{fmt.Printf("%q/%d/%b ",w.text,w.pause,r.cues[j])}
  fmt.Println(i)
  for _,m:=range f{fmt.Println("   ",m.kind,m.start,m.end,r.excused(m))}
  if os.Getenv("ALL")==""{break}
 }
}
